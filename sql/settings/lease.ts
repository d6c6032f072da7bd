import { flagSetting, numberSetting } from './tunable.ts'

/** What operators can change of leases. */
export const LEASE_TUNABLES = {
  'lease.checkpoint_rate': numberSetting(100, 0, 1_000_000, 'Micros of a MiB of a checkpoint for a day.'),
  'lease.mailbox_rate': numberSetting(150, 0, 1_000_000, 'Micros of a MiB of a mailbox for a day.'),
  'lease.minimum_micros': numberSetting(1_000, 0, 1_000_000, 'The least that a lease costs, in micros.'),
  'lease.max_seconds': numberSetting(2_592_000, 60, 31_536_000, 'The longest lease, in seconds.'),
  'lease.checkpoint_bytes': numberSetting(1_048_576, 65_536, 8_388_608, 'The largest body of a checkpoint.'),
  'lease.checkpoint_versions': numberSetting(10, 1, 1_000, 'How many versions of a checkpoint are kept.'),
  'lease.checkpoint_any_type': flagSetting(false, 'Whether a checkpoint may hold other content than JSON.'),
  'lease.storage_rate': numberSetting(50, 0, 1_000_000, 'Micros of a MiB of a storage lease for a day.'),
  'lease.storage_bytes': numberSetting(52_428_800, 10_485_760, 52_428_800, 'The largest file of a storage lease.'),
  'lease.handoff_issue_micros': numberSetting(
    0,
    0,
    1_000_000,
    'What a handoff costs its owner; above 0 none is issued yet.',
  ),
  'lease.handoff_claim_micros': numberSetting(
    0,
    0,
    1_000_000,
    'What a claim costs its claimant; above 0 none is taken yet.',
  ),
  'lease.memory_bytes': numberSetting(
    268_435_456,
    16_777_216,
    17_179_869_184,
    'Bytes of lease bodies that one api process holds in memory at once while they arrive; above that it answers BUSY.',
  ),
  'lease.mailbox_bytes': numberSetting(104_857_600, 1_048_576, 1_073_741_824, 'The largest capacity of a mailbox.'),
  'lease.message_bytes': numberSetting(10_485_760, 262_144, 10_485_760, 'The largest message of a mailbox.'),
  'lease.messages': numberSetting(10_000, 1_000, 1_000_000, 'The most messages that a mailbox can hold.'),
  'lease.tombstone_days': numberSetting(30, 0, 3_650, 'How long an ended lease is answered with 410, in days.'),
  'rate.checkpoint_reads_per_minute': numberSetting(60, 1, 1_000_000, 'Reads per minute of one checkpoint.'),
  'rate.checkpoint_writes_per_minute': numberSetting(30, 1, 1_000_000, 'Writes per minute of one checkpoint.'),
  'rate.claims_per_minute': numberSetting(60, 1, 1_000_000, 'Handoff links per minute that one address may follow.'),
  'rate.drops_per_minute': numberSetting(600, 1, 1_000_000, 'Messages per minute to one mailbox from all addresses.'),
}

import { numberSetting, product } from '#kit'

const lease = product({
  title: 'Leases',
  summary: 'Checkpoints, mailboxes, stored files and links.',
  family: 'leases',
  isFamilyHead: true,
  scopes: {
    'leases:read': 'Read your checkpoints, messages, stored files and handoffs.',
    'leases:write': 'Create, change, hand over and delete them, which spends from your balance.',
  },
  erase: 'lease.erase_account',
  retention: [
    { of: 'what a lease holds', after: 'the end of the lease', removedBy: 'step lease.expire' },
    { of: 'records of leases', after: 'the end of the lease and lease.tombstone_days', removedBy: 'step lease.forget' },
  ],
  settings: {
    'lease.minimum_micros': numberSetting(1_000, 1_000, 1_000_000, 'The least that a lease costs, in micros.'),
    'lease.max_seconds': numberSetting(2_592_000, 60, 31_536_000, 'The longest lease, in seconds.'),
    'lease.memory_bytes': numberSetting(
      268_435_456,
      16_777_216,
      17_179_869_184,
      'Bytes of lease bodies that one api process holds in memory at once while they arrive; above that it answers BUSY.',
    ),
    'lease.tombstone_days': numberSetting(
      30,
      0,
      3_650,
      'How long an ended lease is answered with 410, in days; less holds for leases that end from then on.',
    ),
  },
})

export default lease

declare module '../../kit/product.ts' {
  interface Products {
    lease: typeof lease
  }
}

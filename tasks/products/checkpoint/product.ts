import { flagSetting, numberSetting, product } from '#kit'

const checkpoint = product({
  title: 'Checkpoint',
  summary: 'The state of a workflow, kept in versions for an agent that goes on later.',
  family: 'leases',
  exported: 'checkpoint.export_account',
  problems: {
    INVALID_WORKFLOW_ID: [400, 'The workflow id has an invalid format.'],
    WORKFLOW_ID_IN_USE: [409, 'A checkpoint with this workflow id is live; write to it, or delete it first.'],
  },
  prices: { 'leases.create-checkpoint': { rate: 'lease.checkpoint_rate', least: 'lease.minimum_micros' } },
  settings: {
    'lease.checkpoint_rate': numberSetting(100, 0, 1_000_000, 'Micros of a MiB of a checkpoint for a day.'),
    'lease.checkpoint_bytes': numberSetting(1_048_576, 65_536, 8_388_608, 'The largest body of a checkpoint.'),
    'lease.checkpoint_versions': numberSetting(10, 1, 1_000, 'How many versions of a checkpoint are kept.'),
    'lease.checkpoint_any_type': flagSetting(false, 'Whether a checkpoint may hold other content than JSON.'),
    'rate.checkpoint_reads_per_minute': numberSetting(60, 1, 1_000_000, 'Reads per minute of one checkpoint.'),
    'rate.checkpoint_writes_per_minute': numberSetting(30, 1, 1_000_000, 'Writes per minute of one checkpoint.'),
  },
})

export default checkpoint

declare module '../../kit/product.ts' {
  interface Products {
    checkpoint: typeof checkpoint
  }
}

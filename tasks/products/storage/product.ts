import { numberSetting, product } from '#kit'

const storage = product({
  title: 'Storage',
  summary: 'A file that is kept for a while.',
  family: 'leases',
  prices: { 'leases.create-storage': { rate: 'lease.storage_rate', least: 'lease.minimum_micros' } },
  exported: 'storage.export_account',
  contents: 'storage.list_contents',
  settings: {
    'lease.storage_rate': numberSetting(50, 0, 1_000_000, 'Micros of a MiB of a storage lease for a day.'),
    'lease.storage_bytes': numberSetting(52_428_800, 10_485_760, 52_428_800, 'The largest file of a storage lease.'),
  },
})

export default storage

declare module '../../kit/product.ts' {
  interface Products {
    storage: typeof storage
  }
}

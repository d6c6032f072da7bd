import type { ObjectStore, StoreConfig } from './contract.ts'
import { LocalStore } from './local.ts'
import { S3Store } from './s3.ts'

export function openStore(config: StoreConfig, now: () => number = Date.now): ObjectStore {
  return config.s3 ? new S3Store(config.s3) : new LocalStore(config, now)
}

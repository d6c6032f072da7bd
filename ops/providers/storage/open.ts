import { isTracing } from '../../tracing/trace.ts'
import type { ObjectStore, StoreConfig } from './contract.ts'
import { LocalStore } from './local.ts'
import { S3Store } from './s3.ts'
import { traceStore } from './traced.ts'

export function openStore(config: StoreConfig, now: () => number = Date.now): ObjectStore {
  const store = config.s3 ? new S3Store(config.s3) : new LocalStore(config, now)
  return isTracing() ? traceStore(store) : store
}

import type { BatonEntry } from '#kit'
import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import type { ObjectRecord } from '../../../sql/object.ts'
import type { Upload } from '../body/upload.ts'

/** Where an entry of a baton is: small ones are in the database, others in the object store. */
interface FoundBatonEntry {
  entry: BatonEntry
  sizeBytes: number
  bytes?: Buffer
  key?: string
}

export interface FileLimits {
  callId: string
  store: ObjectStore
  accountId: string
  uploads: ReadonlyMap<string, Upload>
  /** The record of an object, if it is that account's own. */
  readObject(accountId: string, key: string): Promise<Pick<ObjectRecord, 'isExpired' | 'name'> | undefined>
  /** An entry of a baton that the caller could read now. */
  findBatonEntry(batonId: string, entryRef: number | undefined): Promise<FoundBatonEntry>
  /** Whether an anonymous call may learn the price of using a stored file. */
  mayPrice(key: string, token: string): boolean
  /** Whether the operator allows sources that are fetched from the web. */
  canFetch: boolean
  /** `cputools.io.max_inline_bytes`. */
  maxInlineBytes: number
  /** `cputools.io.max_storage_ref_bytes`. */
  maxBytes: number
}

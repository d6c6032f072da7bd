import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import type { ObjectRecord } from '../../../sql/object.ts'
import type { Upload } from '../body/upload.ts'

export interface FileLimits {
  callId: string
  store: ObjectStore
  accountId: string
  uploads: ReadonlyMap<string, Upload>
  /** The record of an object, if it is that account's own. */
  readObject(accountId: string, key: string): Promise<Pick<ObjectRecord, 'isExpired' | 'name'> | undefined>
  /** Whether an anonymous call may learn the price of using a stored file. */
  mayPrice(key: string, token: string): boolean
  /** Whether the operator allows sources that are fetched from the web. */
  canFetch: boolean
  /** `cputools.io.max_inline_bytes`. */
  maxInlineBytes: number
  /** `cputools.io.max_storage_ref_bytes`. */
  maxBytes: number
}

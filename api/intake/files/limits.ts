import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import type { ObjectRecord } from '../../../sql/object.ts'
import type { Upload } from '../body/upload.ts'

export interface FileLimits {
  store: ObjectStore
  accountId: string
  uploads: ReadonlyMap<string, Upload>
  /** The record of an object, if it is the caller's own. */
  readObject(key: string): Promise<Pick<ObjectRecord, 'isExpired' | 'name'> | undefined>
  /** `cputools.io.max_inline_bytes`. */
  maxInlineBytes: number
  /** `cputools.io.max_storage_ref_bytes`. */
  maxBytes: number
}

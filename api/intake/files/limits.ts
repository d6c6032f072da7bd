import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import type { ObjectRecord } from '../../../sql/object.ts'
import type { Upload } from '../body/upload.ts'
import type { KeptContent, SourceKind } from '../parts.ts'

export interface FileLimits {
  callId: string
  store: ObjectStore
  accountId: string
  uploads: ReadonlyMap<string, Upload>
  /** The record of an object, if it is that account's own. */
  readObject(accountId: string, key: string): Promise<Pick<ObjectRecord, 'isExpired' | 'name'> | undefined>
  /** What a source may name that products keep. */
  kinds: readonly Pick<SourceKind, 'field' | 'companions'>[]
  /** What of that the caller could read now. */
  findKept(field: string, source: Readonly<Record<string, unknown>>): Promise<KeptContent>
  /** Whether an anonymous call may learn the price of using a stored file. */
  mayPrice(key: string, token: string): boolean
  /** Whether the operator allows sources that are fetched from the web. */
  canFetch: boolean
  /** `cputools.io.max_inline_bytes`. */
  maxInlineBytes: number
  /** `cputools.io.max_storage_ref_bytes`. */
  maxBytes: number
}

import type { Readable } from 'node:stream'

/** The place of backups cannot be used; the message is one sentence. */
export class BackupPlaceError extends Error {
  override readonly name = 'BackupPlaceError'
}

/** Where backups are kept, apart from what they are of. What is stored under a name is there as a whole or not at all. */
export interface BackupPlace {
  /** As the operator names it. */
  readonly address: string
  put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Rejects with NOT_FOUND if there is nothing of that name. */
  read(name: string): Promise<Readable>
  /** How many bytes are stored under a name. */
  sizeOf(name: string): Promise<number | undefined>
  /** The names that begin with one. */
  list(prefix: 'backups/' | 'parts/'): AsyncIterable<string>
  remove(name: string): Promise<void>
  /** Rejects if nothing can be stored there. A folder has it, which it makes if it is missing. */
  prepare?(): Promise<void>
  /** Removes what processes that were killed have left half-written. A folder has it. */
  removeDrafts?(): Promise<void>
}

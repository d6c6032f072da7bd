import type { Db } from '../../sql/db.ts'
import type { BookFault } from '../../sql/installation/books.ts'
import type { ObjectStore } from '../providers/storage/contract.ts'

export interface CheckContext {
  db: Db
  store: Pick<ObjectStore, 'read' | 'stat'>
}

/** What a check has read, by what it is, and what was wrong. */
export interface Checked {
  counts: Record<string, number>
  faults: BookFault[]
}

/** A check of a product that SQL cannot do, such as that of signatures: `ops/products/<name>/book-check.ts` default-exports it. */
export type ProductCheck = (context: CheckContext) => Promise<Checked>

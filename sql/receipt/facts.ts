import type { JobFacts } from '../../tasks/products/receipt/statement.ts'
import type { JobStatus } from '../call.ts'
import { type Db, value } from '../db.ts'

/** What is known of a job that a receipt can be given for. */
export interface ReceiptFacts extends JobFacts {
  status: JobStatus
  /** As it is stored, with the keys of files; null once it is forgotten. */
  result: unknown
}

/** What is known of a job of the account; null if it has none with this id. */
export function readReceiptFacts(db: Db, accountId: string, jobId: string): Promise<ReceiptFacts | null> {
  return value(db, 'select receipt.read($1, $2)', [accountId, jobId])
}

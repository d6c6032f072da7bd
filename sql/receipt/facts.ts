import type { InputProof, JobStatus } from '../call.ts'
import { type Db, value } from '../db.ts'

/** What is known of a job that a receipt can be given for. */
export interface ReceiptFacts {
  id: string
  serviceKey: string
  status: JobStatus
  /** The code of the problem with which it failed. */
  problem: string | null
  requestHash: string | null
  /** Micros and what they are for, such as `1000 page`. */
  rate: string | null
  inputs: readonly InputProof[]
  /** As it is stored, with the keys of files; null once it is forgotten. */
  result: unknown
  heldMicros: string
  chargedMicros: string
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  payer: {
    accountId: string
    wallet: string | null
    chainId: number | null
    asset: string | null
    transaction: string | null
  }
}

/** What is known of a job of the account; null if it has none with this id. */
export function readReceiptFacts(db: Db, accountId: string, jobId: string): Promise<ReceiptFacts | null> {
  return value(db, 'select receipt.read($1, $2)', [accountId, jobId])
}

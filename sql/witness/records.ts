import type { WitnessRecord } from '../../tasks/products/witness/index.ts'
import type { PendingUpload, Visitor } from '../baton/index.ts'
import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'

/** What a witness would say of a baton now. */
export interface PreparedWitness {
  batonId: string
  /** Counts the writes; a record holds for one version. */
  version: number
  entries: number
  size: number
  chainHead: string | null
  /** Null for a log, whose bytes have to be hashed. */
  sha256: string | null
  now: string
}

export function prepareWitness(db: Db, by: Visitor): Promise<PreparedWitness> {
  return value(db, 'select witness.prepare($1)', [JSON.stringify(by)])
}

interface SignedRecord {
  statement: object
  jws: string
}

/** Freezes the baton and ends the paying job; false, with nothing done, if the baton was written to in between. */
export function recordWitness(
  db: Db,
  job: PayingJob,
  by: Visitor,
  version: number,
  record: SignedRecord,
  result: object,
): Promise<boolean> {
  return value(db, 'select witness.record($1, $2, $3, $4, $5)', [
    serializeJob(job),
    JSON.stringify(by),
    version,
    JSON.stringify(record),
    JSON.stringify(result),
  ])
}

/** Batons that have ended without the witness that was paid for. */
export function listDueBatons(db: Db, limit: number): Promise<PreparedWitness[]> {
  return value(db, 'select witness.list_due($1)', [limit])
}

/** Files that were uploaded for such batons and are not taken over yet. */
export function listDueUploads(db: Db, limit: number): Promise<PendingUpload[]> {
  return value(db, 'select witness.list_due_uploads($1)', [limit])
}

export function recordDueWitness(
  db: Db,
  { batonId, version }: PreparedWitness,
  record: SignedRecord,
): Promise<boolean> {
  return value(db, 'select witness.record_due($1, $2, $3)', [batonId, version, JSON.stringify(record)])
}

/** Of a ledger whose subject has ended; null if there is nothing to witness any more. */
export function prepareEnded(db: Db, batonId: string): Promise<PreparedWitness | null> {
  return value(db, 'select witness.prepare_ended($1)', [batonId])
}

/** False, with nothing done, if it was written to in between, or is witnessed. */
export function recordEnded(db: Db, { batonId, version }: PreparedWitness, record: SignedRecord): Promise<boolean> {
  return value(db, 'select witness.record_ended($1, $2, $3)', [batonId, version, JSON.stringify(record)])
}

/** Deletes records that were kept for their time; returns how many. */
export function forgetWitnesses(db: Db, limit: number): Promise<number> {
  return value(db, 'select witness.forget($1)', [limit])
}

export interface StoredWitness {
  batonId: string
  record: WitnessRecord
  /** Whether the baton still holds what was signed. */
  hasContent: boolean
}

/** The records of batons after one, in the order of their ids. */
export function listWitnesses(db: Db, after: string | null, limit: number): Promise<StoredWitness[]> {
  return value(db, 'select witness.list($1, $2)', [after, limit])
}

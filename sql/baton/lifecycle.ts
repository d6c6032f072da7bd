import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'
import type { Condition } from '../product/condition.ts'
import type { Visitor } from './visitor.ts'

/** The bytes of an entry: small ones are stored in the row, others in the object store. */
export interface WrittenEntry {
  content?: Buffer
  key?: string
  size: number
  type: string
  sha256: string
  text: boolean
  overwrite?: boolean
  /** What the number of its last entry must be. */
  condition?: Condition
}

export async function createBaton(db: Db, job: PayingJob, spec: object, content: Buffer | undefined, result: object) {
  await value(db, 'select baton.create($1, $2, $3, $4)', [
    serializeJob(job),
    JSON.stringify(spec),
    content ?? null,
    JSON.stringify(result),
  ])
}

/** What an extension adds; all as decimal strings. */
export interface Addition {
  tier?: string
  version: number
  sizeBytes: string
  durationSeconds: string
  egressBytes: string
  writes: string
  reads: string
}

/** Returns the baton as it is then. Throws VERSION_CONFLICT if its terms have changed since it was priced. */
export function extendBaton(db: Db, job: PayingJob, id: string, addition: Addition): Promise<Record<string, unknown>> {
  return value(db, 'select baton.extend($1, $2, $3)', [serializeJob(job), id, JSON.stringify(addition)])
}

interface BatonTerms {
  accountId: string
  sizeBytes: string
  egressBytes: string
  remainingSeconds: string
  writes: string
  reads: string
  version: number
  behaviour: string
  isActive: boolean
  /** Its witness is paid for, or cannot be made any more. */
  isWitnessFree: boolean
}

export function readTerms(db: Db, id: string): Promise<BatonTerms | null> {
  return value(db, 'select baton.read_terms($1)', [id])
}

interface StoredBytes {
  accountId: string
  key: string
  size: number | null
  type: string
  /** How long they wait for an entry; null: two hours. */
  until: Date | null
}

/** Records bytes before they are stored, so that they are removed if no entry takes them over. */
export async function reserveObject(db: Db, { accountId, key, size, type, until }: StoredBytes): Promise<void> {
  await value(db, 'select baton.reserve($1, $2, $3, $4, $5)', [accountId, key, size, type, until])
}

export function purgeBatons(db: Db, limit: number): Promise<number> {
  return value(db, 'select baton.purge($1)', [limit])
}

export function readMeta(db: Db, by: Visitor): Promise<object> {
  return value(db, 'select baton.read_meta($1)', [JSON.stringify(by)])
}

export function updateMeta(db: Db, by: Visitor, change: object): Promise<object> {
  return value(db, 'select baton.update_meta($1, $2)', [JSON.stringify(by), JSON.stringify(change)])
}

/** Throws VERSION_CONFLICT. */
export function deleteBaton(db: Db, by: Visitor, condition: Condition): Promise<object> {
  return value(db, 'select baton.delete($1, $2)', [JSON.stringify(by), JSON.stringify(condition)])
}

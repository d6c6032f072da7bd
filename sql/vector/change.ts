import type { Visitor } from '../baton/index.ts'
import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'

/** A batch of vectors as it is stored. Their floats are apart from it, all in one. */
export interface VectorBatch {
  namespace: string
  onConflict: string
  returnIds: boolean
  count: number
  dimensions: number
  /** The model that has embedded the texts; undefined if the caller has sent the floats. */
  textModel: string | undefined
  /** How the answer names what made the vectors. */
  engine: string
  batches: number
  items: { id: string; metadata: object; text?: string; words: Record<string, number>; wordCount: number }[]
}

/** Throws what a caller may not do with a vector baton. Nothing is drawn. */
export async function checkVectors(db: Db, by: Visitor, action: 'read' | 'write'): Promise<void> {
  await value(db, 'select vector.check($1, $2)', [JSON.stringify(by), action])
}

/** The model of the vectors of a baton that may be written to; null if there are none yet. */
export function findVectorModel(db: Db, by: Visitor): Promise<string | null> {
  return value(db, 'select vector.find_model($1)', [JSON.stringify(by)])
}

/** Writes a batch and ends the paying job. */
export function upsertVectors(
  db: Db,
  job: PayingJob,
  by: Visitor,
  batch: VectorBatch,
  floats: Buffer,
): Promise<Record<string, unknown>> {
  const values = [serializeJob(job), JSON.stringify(by), JSON.stringify(batch), floats]
  return value(db, 'select vector.upsert($1, $2, $3, $4)', values)
}

interface VectorSelection {
  namespace: string
  ids?: string[]
  /** A JSON path. */
  filter?: string
}

export function deleteVectors(db: Db, by: Visitor, selection: VectorSelection): Promise<object> {
  return value(db, 'select vector.delete($1, $2)', [JSON.stringify(by), JSON.stringify(selection)])
}

export function updateVector(db: Db, by: Visitor, change: object): Promise<object> {
  return value(db, 'select vector.update($1, $2)', [JSON.stringify(by), JSON.stringify(change)])
}

export function readVectorStats(db: Db, by: Visitor): Promise<object> {
  return value(db, 'select vector.stats($1)', [JSON.stringify(by)])
}

import { finishOnce, type Visitor } from '../baton/index.ts'
import { type Db, value } from '../db.ts'
import type { Ending, Success } from '../job.ts'
import type { VectorBatch } from '../vector/index.ts'

/** A baton that may be created with a document. */
interface PlannedBaton {
  spec: { id: string; sizeBytes?: string }
  durationSeconds: string
  chargeMicros: string
}

export interface DocumentPlan {
  pdf?: PlannedBaton
  tables?: PlannedBaton
  vectors?: PlannedBaton & { by?: Visitor; model: string }
}

export interface DocumentTerms {
  batons: { spec: object; content: Buffer | undefined }[]
  vectors?: { spec: object; by: Visitor; batch: VectorBatch & { document?: string }; floats: Buffer }
}

/** Ends a job and creates its batons, all or nothing. The answers are those of `Jobs.finish`. */
export function finishDocument(
  db: Db,
  { id, accountId, attempt, startedAt }: Ending,
  { chargeMicros, result }: Success,
  { batons, vectors }: DocumentTerms,
): Promise<'ended' | 'late' | 'unsure'> {
  const ending = { id, acct: accountId, attempt, started: startedAt, charge: chargeMicros.toString() }
  const { floats = null, ...indexed } = vectors ?? {}
  const values = [
    ...[JSON.stringify(ending), result, JSON.stringify(batons.map(({ spec }) => spec))],
    ...[batons.map(({ content }) => content ?? null), vectors ? JSON.stringify(indexed) : null, floats],
  ]
  return finishOnce(() => value<boolean>(db, 'select retrieval.finish_document($1, $2, $3, $4, $5, $6)', values))
}

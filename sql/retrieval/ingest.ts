import type { Visitor } from '../baton/index.ts'
import { finishOnce } from '../baton/index.ts'
import { type Db, value } from '../db.ts'
import type { Ending, Success } from '../job.ts'
import type { VectorBatch } from '../vector/index.ts'

/** Where the chunks of a document go. */
export interface IngestPlan {
  batonId: string
  by: Visitor
  /** What embeds its texts; undefined: whatever the provider is. */
  model: string
  /** Of a baton that is created with them. */
  spec?: object
}

export interface IngestTerms {
  plan: IngestPlan
  docId: string
  batch: VectorBatch & { document?: string }
  floats: Buffer
}

/** Ends a job and writes its chunks, both or neither. The answers are those of `Jobs.finish`. Throws what the baton refuses. */
export function finishIngest(
  db: Db,
  { id, accountId, attempt, startedAt }: Ending,
  { chargeMicros, result }: Success,
  { plan, batch, floats }: IngestTerms,
): Promise<'ended' | 'late' | 'unsure'> {
  const ending = { id, acct: accountId, attempt, started: startedAt, charge: chargeMicros.toString() }
  const values = [JSON.stringify(ending), result, JSON.stringify(plan), JSON.stringify(batch), floats]
  return finishOnce(() => value<boolean>(db, 'select retrieval.finish_ingest($1, $2, $3, $4, $5)', values))
}

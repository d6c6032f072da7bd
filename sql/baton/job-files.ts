import { type DrawnSource, Problem } from '#kit'
import { isUnavailable, pause } from '../connection.ts'
import { type Db, rows, value } from '../db.ts'
import type { Ending, PreparedDelivery, Success } from '../job.ts'
import type { Visitor } from './visitor.ts'

/** An entry that is to be the input of an operation. */
interface FoundEntry {
  baton_id: string
  seq: bigint
  total: bigint
  content: Buffer | null
  object_key: string | null
}

/** Finds an entry that the caller could read now; nothing is drawn. Throws ENTRY_REQUIRED. */
export async function findBatonSource(db: Db, by: Visitor, ask: { seq: number | undefined }): Promise<FoundEntry> {
  const values = [JSON.stringify(by), JSON.stringify(ask)]
  const text = 'select * from baton.find_source($1, $2)'
  const [found] = await rows<FoundEntry & Record<string, unknown>>(db, text, values)
  return found!
}

/** Draws the sources of a job from their quotas, once for all attempts of the job. They are kept until `until`. */
export async function drawBatons(db: Db, jobId: string, until: Date, sources: readonly DrawnSource[]): Promise<void> {
  if (sources.length === 0) return
  const values = [jobId, until, JSON.stringify(sources)]
  try {
    await value(db, 'select baton.draw($1, $2, $3)', values)
  } catch (error) {
    throw asInputProblem(error)
  }
}

/** A baton that is missing is a missing input of the call. */
export function asInputProblem(error: unknown): unknown {
  if (!(error instanceof Problem)) return error
  if (error.code === 'NOT_FOUND') return new Problem('INPUT_NOT_FOUND', error.hints)
  if (error.code === 'BATON_EMPTY') return new Problem('INPUT_EMPTY', error.hints)
  return error.code === 'GONE' ? new Problem('INPUT_GONE', error.hints) : error
}

/** Whether the caller could write to a baton now, and which baton it is. */
export function checkWritable(db: Db, by: Visitor): Promise<{ id: string; behaviour: string }> {
  return value(db, 'select baton.check_writable($1)', [JSON.stringify(by)])
}

const RETRY_MS = 30_000

/** Ends a job and delivers its output, both or neither. The answers are those of `Jobs.finish`. */
export function finishDelivery(
  db: Db,
  { id, accountId, attempt, startedAt }: Ending,
  { chargeMicros, result, objects }: Success,
  { terms, content, warnings }: PreparedDelivery,
): Promise<'ended' | 'late' | 'unsure'> {
  const ending = { id, acct: accountId, attempt, started: startedAt, charge: chargeMicros.toString() }
  const values = [
    JSON.stringify({ ...ending, ...(objects.length > 0 && { objects }) }),
    ...[result, JSON.stringify(warnings), JSON.stringify(terms), content ?? null],
  ]
  return finishOnce(() => value<boolean>(db, 'select baton.finish_delivery($1, $2, $3, $4, $5)', values))
}

/** Ends a job by a function of the database that says whether it has; where the database is gone, once it is back. */
export async function finishOnce(finish: () => Promise<boolean>): Promise<'ended' | 'late' | 'unsure'> {
  const { answer: hasEnded, isRepeat } = await askUntilAvailable(finish)
  if (hasEnded) return 'ended'
  return isRepeat ? 'unsure' : 'late'
}

/** The answer, and whether an earlier question may have been answered too, unheard. */
async function askUntilAvailable<Answer>(ask: () => Promise<Answer>): Promise<{ answer: Answer; isRepeat: boolean }> {
  const retryUntil = performance.now() + RETRY_MS
  for (let tries = 0; ; tries++) {
    try {
      return { answer: await ask(), isRepeat: tries > 0 }
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > retryUntil) throw error
      await pause(Math.min(1_000, 50 * 2 ** tries))
    }
  }
}

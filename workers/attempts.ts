import type { JobPayload } from '#kit'
import { StoreUnavailable } from '../ops/providers/storage/contract.ts'
import { parseTraceparent } from '../ops/tracing/context.ts'
import { recordSpan, traceFrom } from '../ops/tracing/trace.ts'
import { ToolCrashed, ToolLost } from '../pools/index.ts'
import { isUnavailable } from '../sql/connection.ts'
import { addRun, beginAttempt, endAttempt } from '../sql/job.ts'
import type { WorkerContext } from './context.ts'

/** A job whose tools crash this often fails: a fault that comes back each time is the job's own. */
const MAX_CRASHES = 3
/** A job fails when this many workers have died under it, because it may be what kills them. */
const MAX_LOST = 10
/** A job that waited longer may have been cancelled meanwhile, so its row is checked before it runs. */
const STALE_AFTER_MS = 2_000

/** One delivery of a job by the queue; `delivery` is 1 for the first. */
export interface Delivery {
  payload: JobPayload
  delivery: number
}

/** An attempt of a job; with `isOneTooMany` it must not run. */
export interface Attempt {
  attempt: number
  isOneTooMany: boolean
  /** How long earlier attempts ran until their tools crashed. */
  ranMs: number
}

/** Ends an attempt without ending its job, because another worker runs the job or will run it. */
export class AttemptReleased extends Error {
  override readonly name = 'AttemptReleased'
}

/** Begins an attempt; undefined if the job has ended or its deadline has passed. */
export async function openAttempt(
  context: WorkerContext,
  { payload, delivery }: Delivery,
  waitedMs: number,
): Promise<Attempt | undefined> {
  if (context.clock.now() > payload.deadlineAt) return undefined
  if (delivery === 1 && waitedMs < STALE_AFTER_MS) return { attempt: 1, isOneTooMany: false, ranMs: 0 }
  const started = await beginAttempt(context.db, payload.id, context.workerId, delivery === 1)
  if (!started) return undefined
  const { attempt, lost } = started
  const ranMs = attempt === 1 ? 0 : await addRun(context.db, payload.id, attempt, 0)
  return { attempt, isOneTooMany: lost >= MAX_LOST, ranMs: ranMs ?? 0 }
}

/** Hands the job back for another worker. If that cannot be recorded, the attempt counts as lost. */
export async function releaseAttempt({ db, log }: WorkerContext, id: string, attempt: number): Promise<void> {
  await endAttempt(db, id, attempt, false).catch(error => log.warn({ jobId: id, err: error }, 'job not handed back'))
}

/**
 * Whether a job that threw is run again. What failed outside of it counts as a lost attempt when the next one begins; a
 * crash of its tool counts here; and an error in our own code would come back each time. `late` is a job whose attempts
 * have used up the time limit that they share.
 */
export async function judgeCrash(
  { db }: WorkerContext,
  { id, limitSeconds }: Pick<JobPayload, 'id' | 'limitSeconds'>,
  { attempt, ranMs }: { attempt: number; ranMs: number },
  error: unknown,
): Promise<'again' | 'never' | 'late'> {
  if (isUnavailable(error) || error instanceof StoreUnavailable) return 'again'
  if (!(error instanceof ToolCrashed)) return 'never'
  const totalMs = await addRun(db, id, attempt, ranMs).catch(() => null)
  if (totalMs !== null && totalMs >= limitSeconds * 1000) return 'late'
  if (error instanceof ToolLost) return 'again'
  const crashes = await endAttempt(db, id, attempt, true).catch(() => null)
  return crashes === null || crashes < MAX_CRASHES ? 'again' : 'never'
}

/** Does the work of a delivery in the trace of its call. */
export function traceDelivery({ payload, delivery }: Delivery, work: () => Promise<void>): Promise<void> {
  const { id, operation, accountId, traceparent, createdAt } = payload
  const attributes = {
    'coinop.job_id': id,
    'coinop.account_id': accountId,
    'coinop.operation': operation,
    'coinop.delivery': delivery,
  }
  return traceFrom(
    parseTraceparent(traceparent),
    { name: `perform ${operation}`, kind: 'consumer', attributes },
    () => {
      recordSpan('wait in queue', 'internal', { startedAtMs: createdAt })
      return work()
    },
  )
}

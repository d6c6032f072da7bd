import { amountOf, type Outcome, type Payload, Problem, type ProblemData } from '#kit'
import { ToolCrashed } from '../pools/index.ts'
import { isAway } from '../sql/db.ts'
import { beginAgain, type Ending, raiseHold, reportProgress } from '../sql/job.ts'
import type { NamedOperation } from '../tasks/index.ts'
import { Bench } from './bench.ts'
import type { WorkFloor } from './floor.ts'
import { storeOutputs } from './outputs.ts'
import { removeStaged } from './staged.ts'

const MOST_ATTEMPTS = 3
/** A job that ends sooner than this is never written as running: its end says it all. */
const BEGIN_AFTER_MS = 250
/** A job that waited longer than this may have been cancelled meanwhile, so it begins with a look at its row. */
const STALE_AFTER_MS = 2_000
const PROGRESS_EVERY_MS = 1_000

/** One delivery of a job by the queue; `delivery` is 1 for the first. */
export interface Delivery {
  payload: Payload
  delivery: number
}

/** A run is over here without being the job's end: it is wanted elsewhere, or has been taken over, and the queue knows. */
export class LetGo extends Error {
  override readonly name = 'LetGo'
}

/** The life of one job, from its delivery to its end. Throws only when the queue should deliver it again. */
export async function perform(floor: WorkFloor, { payload, delivery }: Delivery): Promise<void> {
  const waitedMs = Date.now() - payload.createdAt
  const attempt = await begin(floor, payload, delivery, waitedMs)
  if (attempt === null) return
  const startedAt = new Date()
  const stop = new AbortController()
  floor.running.set(payload.id, stop)
  const timer = attempt === 1 && delivery === 1 ? sayBegunLater(floor, payload, startedAt) : undefined
  try {
    const outcome = await outcomeOf(floor, payload, attempt, stop)
    if (outcome) await end(floor, { id: payload.id, accountId: payload.accountId, attempt, startedAt, outcome })
    await removeStaged(floor, payload)
    floor.meters.ran(payload.operation, waitedMs, startedAt, outcome?.status ?? 'dropped')
  } finally {
    clearTimeout(timer)
    floor.running.delete(payload.id)
  }
}

/** Which attempt this is; null when there is nothing left to do. */
async function begin(floor: WorkFloor, payload: Payload, delivery: number, waitedMs: number): Promise<number | null> {
  if (Date.now() > payload.deadlineAt) return null
  if (delivery === 1 && waitedMs < STALE_AFTER_MS) return 1
  const attempt = await beginAgain(floor.db, payload.id, floor.workerId, delivery === 1)
  if (attempt === null || attempt <= MOST_ATTEMPTS) return attempt
  floor.log.error({ jobId: payload.id, operation: payload.operation }, 'given up after too many crashes')
  await end(floor, {
    ...failed({ code: 'INTERNAL', hints: {} }),
    id: payload.id,
    accountId: payload.accountId,
    attempt,
  })
  return null
}

function failed(problem: ProblemData): Pick<Ending, 'outcome' | 'startedAt'> {
  return { startedAt: new Date(), outcome: { status: 'failed', problem } }
}

function sayBegunLater(floor: WorkFloor, { id }: Payload, startedAt: Date): NodeJS.Timeout {
  return setTimeout(() => {
    floor.jobs
      .begin({ id, startedAt, workerId: floor.workerId })
      .catch(error => floor.log.warn({ jobId: id, err: error }, 'not begun'))
  }, BEGIN_AFTER_MS)
}

/** What comes late was made for nobody; the attempt that took over still needs the input and its place in the queue. */
async function end(floor: WorkFloor, ending: Ending): Promise<void> {
  const verdict = await floor.jobs.finish(ending)
  if (verdict === 'ended') return
  floor.log.warn({ jobId: ending.id, attempt: ending.attempt, verdict }, 'ended elsewhere before')
  if (verdict === 'unsure') return
  const { outcome } = ending
  if (outcome.status === 'succeeded') for (const { key } of outcome.objects) await floor.store.remove(key)
  throw new LetGo('the job has ended or was taken over')
}

/** What a run comes to; nothing when the job was cancelled. */
async function outcomeOf(
  floor: WorkFloor,
  payload: Payload,
  attempt: number,
  stop: AbortController,
): Promise<Ending['outcome'] | undefined> {
  try {
    return await run(floor, payload, attempt, stop)
  } catch (error) {
    const why: unknown = error instanceof LetGo ? error : stop.signal.reason
    if (why instanceof LetGo) throw why
    if (stop.signal.aborted) return undefined
    return failureOf(floor, payload, attempt, error)
  }
}

/** How a run that threw ends its job. Crashes are thrown on while there are attempts left. */
function failureOf(floor: WorkFloor, payload: Payload, attempt: number, error: unknown): Ending['outcome'] {
  if (error instanceof Problem) return { status: 'failed', problem: error.toData() }
  const { code } = error as { code?: unknown }
  if (code === 'ENOSPC' || code === 'EDQUOT') return { status: 'failed', problem: { code: 'STORAGE_FULL', hints: {} } }
  const mayRetry = attempt < MOST_ATTEMPTS && (error instanceof ToolCrashed || isAway(error))
  const about = { jobId: payload.id, operation: payload.operation, attempt, err: error }
  floor.log.error(about, mayRetry ? 'crashed' : 'bug')
  if (mayRetry) throw error
  return { status: 'failed', problem: { code: 'INTERNAL', hints: {} } }
}

async function run(
  floor: WorkFloor,
  payload: Payload,
  attempt: number,
  stop: AbortController,
): Promise<Ending['outcome']> {
  const operation = floor.operations.get(payload.operation)
  if (!operation) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: payload.operation })
  await using bench = new Bench(floor, operation, payload, stop.signal)
  const input = await bench.lay()
  const held = await price(floor, operation, payload, attempt, input)
  if (payload.isDryRun) return quote(operation, payload, input, held)
  const outcome = await bench.run(progressWriter(floor, payload, attempt))
  // Awaited here: the bench and the output files on it are cleared away as soon as this function is left.
  return await succeed(floor, operation, payload, input, outcome)
}

/** Where the content decides the price, the hold is lifted to it before anything runs; gives what is then held. */
async function price(
  floor: WorkFloor,
  operation: NamedOperation,
  payload: Payload,
  attempt: number,
  input: unknown,
): Promise<bigint> {
  if (operation.price.basis === 'body' && !payload.isDryRun) return BigInt(payload.heldMicros)
  const exact = amountOf(operation.price, operation.price.units(input as never), rateOf(payload))
  if (payload.isDryRun) return exact
  if (!(await raiseHold(floor.db, payload.id, attempt, exact))) throw new LetGo('the job has ended or was taken over')
  return exact
}

function quote(operation: NamedOperation, payload: Payload, input: unknown, amount: bigint): Ending['outcome'] {
  const units = operation.price.units(input as never)
  const uncapped = operation.price.baseMicros + BigInt(units) * (rateOf(payload) ?? operation.price.rateMicros)
  const told = {
    amountMicros: amount.toString(),
    unit: operation.price.unit,
    units,
    capped: uncapped > amount,
    ceiling: amount.toString(),
  }
  return { status: 'succeeded', chargeMicros: 0n, result: JSON.stringify({ quote: told }), objects: [] }
}

async function succeed(
  floor: WorkFloor,
  operation: NamedOperation,
  payload: Payload,
  input: unknown,
  outcome: Outcome<unknown>,
): Promise<Ending['outcome']> {
  const { result, objects } = await storeOutputs(floor, operation, payload, outcome)
  const units = outcome.units ?? operation.price.units(input as never)
  return { status: 'succeeded', chargeMicros: amountOf(operation.price, units, rateOf(payload)), result, objects }
}

function rateOf(payload: Payload): bigint | undefined {
  return payload.rateMicros === undefined ? undefined : BigInt(payload.rateMicros)
}

/** Writes progress at most once a second, and the last word of it not at all: the end is near then. */
function progressWriter(
  floor: WorkFloor,
  { id }: Payload,
  attempt: number,
): (done: number, total: number, unit: string) => void {
  let last = performance.now()
  return (done, total, unit) => {
    if (performance.now() - last < PROGRESS_EVERY_MS) return
    last = performance.now()
    reportProgress(floor.db, id, attempt, { done, total, unit }).catch(error =>
      floor.log.warn({ jobId: id, err: error }, 'no progress'),
    )
  }
}

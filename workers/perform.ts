import {
  computeCharge,
  computeMaxAmount,
  findTariff,
  type JobPayload,
  listDrawnSources,
  type Outcome,
  PRICE_CEILING,
  Problem,
  type ProblemCode,
  quoteOf,
  readRates,
  type Tariff,
} from '#kit'
import { trace } from '../ops/tracing/trace.ts'
import { ToolMissing } from '../pools/index.ts'
import { isUnavailable } from '../sql/connection.ts'
import { type Ending, raiseHold, reportProgress } from '../sql/job.ts'
import type { NamedOperation } from '../tasks/index.ts'
import {
  type Attempt,
  AttemptReleased,
  type Delivery,
  judgeCrash,
  openAttempt,
  releaseAttempt,
  traceDelivery,
} from './attempts.ts'
import type { EndingParts, WorkerContext } from './context.ts'
import { findDelivery, prepareDelivery } from './outputs/delivery.ts'
import { discardOutputs, storeOutputs } from './outputs/store.ts'
import { removeStagedInputs } from './staged.ts'
import { findOperation, leaveJobThatLacks, requireTools } from './tools.ts'
import { JobWorkspace } from './workspace.ts'

/** A job that ends sooner is never marked as running, which saves a write. */
const MARK_RUNNING_AFTER_MS = 250
const PROGRESS_INTERVAL_MS = 1_000

/** How long what a job has drawn is kept beyond its deadline. */
const KEPT_MS = 600_000

type JobEnd = Ending['outcome']

/**
 * The life of one job, from its delivery to its end. Throws only if the queue shall deliver the job again. `onRun` is
 * called when it has run and only its end must be written.
 */
export function perform(context: WorkerContext, delivered: Delivery, onRun: () => void): Promise<void> {
  return traceDelivery(delivered, () => performDelivered(context, delivered, onRun))
}

async function performDelivered(context: WorkerContext, delivered: Delivery, onRun: () => void): Promise<void> {
  const { payload, delivery } = delivered
  const waitedMs = context.clock.now() - payload.createdAt
  const started = await openAttempt(context, delivered, waitedMs)
  if (!started) return removeStagedInputs(context, payload)
  const { attempt } = started
  const startedAt = new Date()
  if (started.isOneTooMany) return failLostJob(context, payload, attempt)
  const stop = new AbortController()
  context.running.set(payload.id, stop)
  const timer = attempt === 1 && delivery === 1 ? markRunningLater(context, payload, startedAt) : undefined
  try {
    const outcome = await runAttempt(context, payload, started, stop)
    onRun()
    if (outcome) await endJob(context, { id: payload.id, accountId: payload.accountId, attempt, startedAt, outcome })
    await removeStagedInputs(context, payload)
    context.meters.recordRun(payload.operation, { waitedMs, startedAt, outcome })
    reportRun(context, payload, startedAt, outcome)
  } catch (error) {
    if (error instanceof AttemptReleased) await releaseAttempt(context, payload.id, attempt)
    throw error
  } finally {
    clearTimeout(timer)
    context.running.delete(payload.id)
  }
}

function reportRun(
  { log }: WorkerContext,
  { id, operation }: JobPayload,
  startedAt: Date,
  outcome: JobEnd | undefined,
): void {
  const status = outcome?.status ?? 'dropped'
  log.debug({ jobId: id, operation, status, ms: Date.now() - startedAt.getTime() }, 'performed')
}

async function failLostJob(context: WorkerContext, payload: JobPayload, attempt: number): Promise<void> {
  const { id, accountId, operation } = payload
  context.log.error({ jobId: id, operation }, 'job failed: too many workers have died under it')
  await endJob(context, { id, accountId, attempt, startedAt: new Date(), outcome: fail('INTERNAL') })
  await removeStagedInputs(context, payload)
}

function fail(code: ProblemCode, hints = {}): JobEnd {
  return { status: 'failed', problem: { code, hints } }
}

function markRunningLater(context: WorkerContext, { id }: JobPayload, startedAt: Date): NodeJS.Timeout {
  return setTimeout(() => {
    context.jobs
      .begin({ id, startedAt, workerId: context.workerId })
      .catch(error => context.log.warn({ jobId: id, err: error }, 'job not marked as running'))
  }, MARK_RUNNING_AFTER_MS)
}

/** A late result is discarded; the newer attempt owns the job and still needs its input and its place in the queue. */
async function endJob(context: WorkerContext, ending: Ending): Promise<void> {
  const verdict = await recordEnd(context, ending)
  const { outcome } = ending
  const keys = outcome.status === 'succeeded' ? outcome.objects.map(({ key }) => key) : []
  if (verdict === 'ended') return context.outputNotes.remove(keys)
  context.log.warn({ jobId: ending.id, attempt: ending.attempt, verdict }, 'the job had ended before')
  if (verdict === 'unsure') return
  await discardOutputs(context, keys)
  throw new AttemptReleased('the job has ended or was taken over')
}

/** A result that the database refuses would be refused each time, so the job fails instead of being run again. */
async function recordEnd(context: WorkerContext, ending: Ending): Promise<'ended' | 'late' | 'unsure'> {
  const { outcome } = ending
  try {
    if (outcome.status === 'failed' || !outcome.delivery) return await context.jobs.finish(ending)
    const { delivery } = outcome
    const parts = findEnding(context, delivery.to) ?? findDelivery(context, delivery.to)
    return await parts.finish(context, ending, outcome, delivery)
  } catch (error) {
    if (outcome.status === 'failed' || isUnavailable(error)) throw error
    await discardOutputs(
      context,
      outcome.objects.map(({ key }) => key),
    )
    return context.jobs.finish({ ...ending, outcome: failUnstored(context, ending.id, error) })
  }
}

/** A problem says what was refused; anything else is a fault of ours. */
function failUnstored({ log }: WorkerContext, jobId: string, error: unknown): JobEnd {
  if (error instanceof Problem) return { status: 'failed', problem: error.toData() }
  log.error({ jobId, err: error }, 'the result cannot be stored')
  return fail('INTERNAL')
}

/** Returns how the job ends, or undefined if it was cancelled. It has the time that earlier attempts left. */
async function runAttempt(
  context: WorkerContext,
  payload: JobPayload,
  { attempt, ranMs }: Attempt,
  stop: AbortController,
): Promise<JobEnd | undefined> {
  const limitSeconds = payload.limitSeconds - ranMs / 1000
  const startedMs = performance.now()
  try {
    return await runOperation(context, { ...payload, limitSeconds }, attempt, stop)
  } catch (error) {
    const reason: unknown = error instanceof AttemptReleased ? error : stop.signal.reason
    if (reason instanceof AttemptReleased) throw reason
    if (stop.signal.aborted) return undefined
    return await toFailure(context, payload, { attempt, ranMs: performance.now() - startedMs }, error)
  }
}

/** Returns how a run that threw ends its job. The error is rethrown if the job is run again. */
async function toFailure(
  context: WorkerContext,
  payload: JobPayload,
  run: { attempt: number; ranMs: number },
  error: unknown,
): Promise<JobEnd> {
  if (error instanceof Problem) return { status: 'failed', problem: error.toData() }
  const { code } = error as { code?: unknown }
  if (code === 'ENOSPC' || code === 'EDQUOT') return fail('STORAGE_FULL')
  const verdict = await judgeCrash(context, payload, run, error)
  const facts = { jobId: payload.id, operation: payload.operation, attempt: run.attempt, err: error }
  context.log.error(facts, verdict === 'again' ? 'attempt crashed' : 'unexpected error')
  if (verdict === 'again') throw error
  const { limitSeconds } = payload
  return verdict === 'late' ? fail('TIME_LIMIT_EXCEEDED', { limitSeconds }) : fail('INTERNAL')
}

async function runOperation(
  context: WorkerContext,
  payload: JobPayload,
  attempt: number,
  stop: AbortController,
): Promise<JobEnd> {
  const operation = await findOperation(context, payload)
  if (!operation) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: payload.operation })
  await requireTools(context, payload, operation)
  await using workspace = new JobWorkspace(context, operation, payload, stop.signal)
  const input = await trace('prepare', undefined, () => workspace.prepare())
  const tariff = await determinePrice(context, operation, payload, attempt, input)
  if (payload.isDryRun) return answerQuote(tariff, deliveryMicros(payload), await workspace.describe())
  await drawSources(context, operation, payload)
  const progress = createProgressWriter(context, payload, attempt)
  const outcome = await trace('run', undefined, () => workspace.run(progress)).catch((error: unknown) => {
    if (error instanceof ToolMissing) return leaveJobThatLacks(context, payload, error.tool)
    throw error
  })
  const ending = findEnding(context, operation.name)
  if (ending) return await prepareEnding(context, ending, payload, { outcome, tariff })
  // Awaited here, because the workspace and its output files are removed when this function returns.
  return await trace('store', undefined, () => storeResult(context, operation, payload, tariff, outcome))
}

function findEnding({ products }: WorkerContext, operation: string): EndingParts | undefined {
  return [...products.values()].map(({ endings }) => endings?.[operation]).find(parts => parts !== undefined)
}

async function prepareEnding(
  context: WorkerContext,
  ending: EndingParts,
  payload: JobPayload,
  { outcome, tariff }: { outcome: Outcome<unknown>; tariff: Tariff },
): Promise<JobEnd> {
  const { chargeMicros, result, terms } = await ending.prepare(context, payload, outcome, tariff)
  const delivery = { to: payload.operation, terms, content: undefined, warnings: [] }
  return { status: 'succeeded', chargeMicros, result, objects: [], delivery }
}

async function drawSources(
  { db, products }: WorkerContext,
  { input }: NamedOperation,
  payload: JobPayload,
): Promise<void> {
  const sources = listDrawnSources(input, payload.input)
  if (sources.length === 0) return
  const until = new Date(payload.deadlineAt + KEPT_MS)
  const draws = new Map([...products.values()].flatMap(({ draws = {} }) => Object.entries(draws)))
  for (const [field, drawn] of Map.groupBy(sources, ({ field }) => field)) {
    const draw = draws.get(field)
    if (!draw) throw new Error(`no product draws sources of the field ${field}`)
    await draw(db, payload.id, until, drawn)
  }
}

/** If the content decides the price, raises the hold to it before anything runs. */
async function determinePrice(
  context: WorkerContext,
  operation: NamedOperation,
  payload: JobPayload,
  attempt: number,
  input: unknown,
): Promise<Tariff> {
  const tariff = findTariff(operation.price, input as never, readRates(payload))
  if (operation.price.basis === 'body' || payload.isDryRun) return tariff
  const [exact, ceiling] = [
    computeMaxAmount(tariff) + deliveryMicros(payload),
    BigInt(payload.ceilingMicros ?? PRICE_CEILING),
  ]
  // What is held suffices; that the job has ended is found when its own end is written.
  if (exact <= BigInt(payload.heldMicros)) return tariff
  if (!(await raiseHold(context.db, payload.id, attempt, exact < ceiling ? exact : ceiling)))
    throw new AttemptReleased('the job has ended or was taken over')
  return tariff
}

function answerQuote(tariff: Tariff, deliveryMicros: bigint, described: object): JobEnd {
  const result = JSON.stringify({ quote: quoteOf(tariff, deliveryMicros), ...described })
  return { status: 'succeeded', chargeMicros: 0n, result, objects: [] }
}

function deliveryMicros({ delivery }: JobPayload): bigint {
  return BigInt(delivery?.chargeMicros ?? 0)
}

async function storeResult(
  context: WorkerContext,
  operation: NamedOperation,
  payload: JobPayload,
  tariff: Tariff,
  outcome: Outcome<unknown>,
): Promise<JobEnd> {
  const stored = await storeOutputs(context, operation, payload, outcome)
  const { fields, objects } = stored
  const chargeMicros = computeCharge(tariff, outcome)
  const ended = { status: 'succeeded', chargeMicros, objects } as const
  const delivery = payload.delivery && (await prepareDelivery(context, operation, payload, stored))
  if (delivery && 'terms' in delivery) return { ...ended, result: JSON.stringify(fields), delivery }
  const warnings = delivery ? [...stored.warnings, delivery] : stored.warnings
  return { ...ended, result: JSON.stringify(warnings.length > 0 ? { ...fields, warnings } : fields) }
}

/** Writes progress at most once a second. The last report may be dropped, because the result follows it. */
function createProgressWriter(
  context: WorkerContext,
  { id }: JobPayload,
  attempt: number,
): (done: number, total: number, unit: string) => void {
  let last = performance.now()
  return (done, total, unit) => {
    if (performance.now() - last < PROGRESS_INTERVAL_MS) return
    last = performance.now()
    reportProgress(context.db, id, attempt, { done, total, unit }).catch(error =>
      context.log.warn({ jobId: id, err: error }, 'progress not written'),
    )
  }
}

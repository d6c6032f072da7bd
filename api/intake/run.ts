import { createHash, randomUUID } from 'node:crypto'
import {
  chooseOutputName,
  computeAmount,
  type DrawnSource,
  isFileProducing,
  isInstantCall,
  listDrawnSources,
  mapOutputs,
  type Outcome,
  type OutputFile,
  runWithoutTools,
  type StoredOutput,
  withRates,
} from '#kit'
import { currentTraceparent, trace } from '../../ops/tracing/trace.ts'
import type { Call, CallProof, Refusal } from '../../sql/call.ts'
import type { StoredObject } from '../../sql/job.ts'
import { dropOutputs, recordOutputs } from '../../sql/object.ts'
import type { NamedOperation } from '../../tasks/index.ts'
import type { ApiContext } from '../context.ts'
import type { RouteJob } from '../route.ts'
import { HASHED_BYTES } from './body/json.ts'
import type { FundedCall, PricedCall } from './call.ts'
import { drawSources } from './files/read-files.ts'
import { makeInputReady } from './files/stage-files.ts'
import type { Book, BookingEntry, BookingKind, CallLedger } from './fund.ts'
import type { Answer } from './reply/answer.ts'
import { toProblem } from './reply/problem.ts'
import { answerRefusal } from './reply/refusal.ts'
import type { AnswerSink } from './reply/sink.ts'
import { runHeld } from './run/held.ts'
import { runHere, runsHere } from './run/here.ts'
import { runQueued } from './run-queued.ts'
import { withFieldHints } from './validation/known-fields.ts'
import { bookPaid, type Funding, keepCredit } from './x402/funding.ts'
import { setFailureHeaders } from './x402/payment-headers.ts'

interface Ran {
  readonly answer: Answer
  /** How the call is paid for now. */
  readonly funding: Funding
}

/** The response to a failed call also tells where its payment went: money that arrived is credit of the wallet. */
export async function runCall(context: ApiContext, call: FundedCall, reply: AnswerSink): Promise<Ran> {
  let { funding } = call
  const book: Book = async (kind, entry) => {
    const booked = await bookCall(context, call, kind, entry)
    funding = booked.funding
    if (booked.failure) throw booked.failure.error
    return booked.refusal
  }
  try {
    const answer = await chooseRun(context, call, { book, readFunding: () => funding }, reply)
    return { answer, funding }
  } catch (error) {
    if (funding.kind === 'payment') setFailureHeaders(reply, await keepCredit(context, funding), toProblem(error).code)
    throw withFieldHints(call.billable.input, error)
  }
}

/** Calls of little work run at once, priced routes run here after the hold, everything else is queued. Workers deliver. */
function chooseRun(context: ApiContext, call: FundedCall, ledger: CallLedger, reply: AnswerSink): Promise<Answer> {
  const { book } = ledger
  const { execution } = call.billable
  if (execution.kind === 'route') {
    const { address, caller, request, staged, content } = call
    const asked = { address, caller, body: staged.input, request, reply, content }
    const work = (job: RouteJob) => execution.run({ ...asked, job }, context)
    const { settles, readCharge } = execution
    const { limitSeconds: seconds } = call.billable
    return runHeld(context, call, book, work, { settles, readCharge, seconds })
  }
  const { operation } = execution
  if (call.billable.uses.length > 0 && runsHere(context, call)) return runHere(context, call, ledger, operation, reply)
  if (!isInstant(call, operation)) return runQueued(context, call, book)
  const sources = listDrawnSources(operation.input, call.staged.input)
  return sources.length > 0
    ? runDrawn(context, call, book, operation, sources)
    : runInstant(context, call, book, operation)
}

function isInstant(call: PricedCall, operation: NamedOperation): boolean {
  const { instantBytes, isAsync, isDryRun, inputBytes, staged, delivery } = call
  if (isAsync || isDryRun || delivery || inputBytes > instantBytes || !staged.isInMemory) return false
  return isInstantCall(operation, staged.input, inputBytes)
}

const SLOW_MS = 20

/** Runs first, then records and charges in one commit, so that charge and result always come together. */
async function runInstant(
  context: ApiContext,
  call: FundedCall,
  book: Book,
  operation: NamedOperation,
): Promise<Answer> {
  const { id, hold, staged } = call
  const startedMs = performance.now()
  const outcome = await trace('run here', undefined, async () =>
    runWithoutTools(operation, makeInputReady(operation.input, staged.input)),
  )
  reportSlowRun(context, operation.name, performance.now() - startedMs)
  const tariff = hold.tariff!
  const amountMicros = computeAmount(tariff, outcome.units ?? tariff.units)
  const { result, files } = await storeResult(context, call, operation, outcome)
  const payload = JSON.stringify(result)
  const refusal = await book('instant', { lane: 'instant', amountMicros, payload })
  if (refusal) {
    await discardFiles(context, files)
    return answerRefusal(call, refusal, amountMicros)
  }
  return { kind: 'result', id, chargedMicros: amountMicros, result }
}

/** The same for a call that takes what products keep as files. Its price is held first, because what is drawn is not given back. */
function runDrawn(
  context: ApiContext,
  call: FundedCall,
  book: Book,
  operation: NamedOperation,
  sources: readonly DrawnSource[],
): Promise<Answer> {
  return runHeld(context, call, book, async ({ id }) => {
    await drawSources(context, id, sources)
    const startedMs = performance.now()
    const outcome = await runWithoutTools(operation, makeInputReady(operation.input, call.staged.input))
    reportSlowRun(context, operation.name, performance.now() - startedMs)
    const { result } = await storeResult(context, call, operation, outcome)
    return { ...outcome, result }
  })
}

function reportSlowRun(context: ApiContext, operation: string, ms: number): void {
  if (ms <= SLOW_MS) return
  context.meters.slowInstant(operation)
  context.log.warn(
    { operation, ms: Math.round(ms) },
    'an instant run was slow; the setting instant.off moves it to the queue',
  )
}

async function storeResult(
  context: ApiContext,
  call: FundedCall,
  { output }: NamedOperation,
  { result, warnings }: Outcome<unknown>,
): Promise<StoredResult> {
  const stored = isFileProducing(output) ? await storeFiles(context, call, result) : { result, files: [] }
  if (!warnings || warnings.length === 0) return stored
  return { ...stored, result: { ...(stored.result as object), warnings } }
}

interface StoredResult {
  result: unknown
  files: StoredObject[]
}

/** Each file is recorded before it is stored: if this process dies in between, the record is what finds the file. */
async function storeFiles(context: ApiContext, call: FundedCall, result: unknown): Promise<StoredResult> {
  const { id, billable, options } = call
  const { accountId } = call.caller
  const files: { bytes: Uint8Array; record: StoredObject }[] = []
  const hours = context.settings.get('cputools.scratch_hours')
  const stored = await mapOutputs(billable.output, result, async value => {
    const { bytes, contentType, name: givenName, ...facts } = value as OutputFile
    const key = `scratch/${accountId}/${randomUUID()}`
    const name = chooseOutputName(options.filename, givenName)
    const size = bytes!.length
    files.push({ bytes: bytes!, record: { key, size, type: contentType, name, hours } })
    const sha256 = size <= HASHED_BYTES ? createHash('sha256').update(bytes!).digest('hex') : undefined
    return { ...facts, key, sizeBytes: size, contentType, name, ...(sha256 && { sha256 }) } satisfies StoredOutput
  })
  const records = files.map(({ record }) => record)
  if (files.length > 0) await recordOutputs(context.db, accountId, id, records)
  try {
    for (const { bytes, record } of files) await context.store.put(record.key, bytes, { contentType: record.type })
  } catch (error) {
    await discardFiles(context, records)
    throw error
  }
  return { result: stored, files: records }
}

async function discardFiles({ db, store }: ApiContext, files: readonly StoredObject[]): Promise<void> {
  for (const { key } of files) await store.remove(key)
  if (files.length > 0) await dropOutputs(db, files)
}

interface Booked {
  readonly funding: Funding
  readonly refusal?: Refusal
  readonly failure?: { readonly error: unknown }
}

/**
 * Writes a call into the ledger, with its payment if it has one. Returns its funding after that, and why it was refused or
 * failed. Standard clients ask for the price first; once the payment follows, that unpaid request no longer counts against
 * the address.
 */
async function bookCall(
  context: ApiContext,
  funded: FundedCall,
  kind: BookingKind,
  entry: BookingEntry,
): Promise<Booked> {
  const { id, caller, billable, request, funding, idempotency, isDryRun } = funded
  const { db, jobs, config, limits, payments } = context
  const call: Call = {
    id,
    accountId: caller.accountId,
    keyHash: caller.keyHash,
    serviceKey: billable.name,
    idempotency: isDryRun ? undefined : idempotency,
    proof: describeProof(funded),
    ...currentTraceparent(),
    ...entry,
  }
  if (funding.kind !== 'payment') return { funding, refusal: await jobs[kind](call) }
  if (!payments) throw new Error('a call is funded by a payment that cannot be settled here')
  const booked = await bookPaid({ db, jobs, config, payments }, funding, kind, call)
  if (!booked.refusal && !booked.failure) limits.giveBackAddress('call', request.ip)
  return booked
}

/** A rate that follows from the content of files, or a price that is no rate, is left out. */
function describeProof({ billable, hold, staged, fingerprint: requestHash }: FundedCall): CallProof {
  const { price, quote } = billable
  const declared = price.variants ? undefined : withRates(price, hold.rates)
  const rated = quote ? undefined : (hold.tariff ?? declared)
  return {
    requestHash,
    rate: rated && `${rated.rateMicros} ${rated.unit}`,
    inputs: staged.files.length > 0 ? staged.prove() : undefined,
  }
}

import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CallOptions, INLINE_FILE_BYTES, newId, Problem, quoteOf, type Tariff } from '#kit'
import { trace } from '../../ops/tracing/trace.ts'
import type { Settings } from '../../sql/setting.ts'
import type { ApiContext } from '../context.ts'
import type { Address, IncomingCall } from '../incoming-call.ts'
import type { Billable } from './billable.ts'
import { withContent } from './body/content.ts'
import { drain } from './body/drain.ts'
import { describeNoFields, discardUploads, receiveBody } from './body/receive.ts'
import type { CallFlags, FundedCall, IdentifiedCall, Preference, PricedCall, ReceivedCall } from './call.ts'
import { fundCall, priceCall } from './fund.ts'
import { toCall } from './identity/identify.ts'
import { type AskPrice, readMaxPrice, requireWithinLimit } from './price-limit.ts'
import type { Answer } from './reply/answer.ts'
import { answerEarlier } from './reply/earlier.ts'
import { type AnsweredCall, sendAnswer } from './reply/send.ts'
import type { AnswerSink } from './reply/sink.ts'
import { runCall } from './run.ts'
import { deliveryMicros, stageCall } from './stage-call.ts'
import { rejectFieldsInQuery, validate } from './validate.ts'
import { keepCredit } from './x402/funding.ts'
import { paymentRequired } from './x402/payment-required.ts'
import type { Payment } from './x402/payments.ts'

const NONE: Preference = { isAsync: false, waitSeconds: undefined }
export const MAX_WAIT_SECONDS = 60
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/**
 * The one path of everything that is billed, for every kind of caller: identify, receive, stage, price, fund, run,
 * reply. Cheap checks come first, and nothing is held before everything that can be known is known.
 */
export function callHandler(context: ApiContext, billable: Billable) {
  const handle = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
    performCall(context, billable, { request: toCall(request), reply }, sendAnswer)
  if (!billable.receive) return handle
  return (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
    handle(request, reply).catch((error: unknown) => {
      drain(request.raw)
      throw error
    })
}

interface Exchange {
  request: IncomingCall
  reply: AnswerSink
  /** The id of the call, where it must be known before the call is. */
  id?: string
  askPrice?: AskPrice | undefined
}

type Send<Sent> = (context: ApiContext, call: AnsweredCall, answer: Answer, reply: AnswerSink) => Promise<Sent>

/** The same for every protocol: `send` writes the answer in the form of one. */
export async function performCall<Sent>(
  context: ApiContext,
  billable: Billable,
  { request, reply, id = newId(), askPrice }: Exchange,
  send: Send<Sent>,
): Promise<Sent> {
  await using temporaryFiles = new AsyncDisposableStack()
  const identified = { id, ...describeCall(context, billable, request), temporaryFiles }
  const received = await trace('receive', undefined, () => receiveCall(context, identified))
  const flags = readFlags(received)
  const earlier = received.idempotencyKey === undefined ? undefined : await answerEarlier(context, received, flags)
  if (earlier)
    return await send(context, { ...received, options: flags.options }, reveal(context, received, earlier), reply)
  const staged = await trace('stage files', undefined, () => stageCall(context, received, flags))
  const quoted = await trace('price', undefined, () => priceCall(context, staged))
  const priced = quoted.limitMicros === undefined ? quoted : await requireWithinLimit(context, quoted, askPrice)
  const { tariff } = priced.hold
  if (priced.isDryRun && tariff && !isDescribed(priced)) {
    return await send(context, priced, { kind: 'quote', body: showQuote(priced, tariff) }, reply)
  }
  // Awaited here, because the files of the call are deleted when this function returns.
  if (!billable.receive) return await payAndRun(context, priced, reply, send)
  return await withContent(context, priced, call => payAndRun(context, call, reply, send))
}

async function payAndRun<Sent>(
  context: ApiContext,
  priced: PricedCall,
  reply: AnswerSink,
  send: Send<Sent>,
): Promise<Sent> {
  const funded = await trace('fund', undefined, () => fundCall(context, priced))
  const { answer, funding } = isAnswered(funded)
    ? funded
    : await trace('run', { 'coinop.operation': priced.billable.name }, () => runCall(context, funded, reply))
  try {
    return await trace('reply', undefined, () =>
      send(context, { ...funded, funding }, reveal(context, funded, answer), reply),
    )
  } finally {
    if (funding.kind === 'payment' && !funding.receipt) await keepCredit(context, funding)
  }
}

/** An earlier call with the same key has the answer. */
function isAnswered(call: FundedCall): call is FundedCall & { answer: Answer } {
  return call.answer !== undefined
}

function showQuote(call: PricedCall, tariff: Tariff): object {
  const { billable, address, hold } = call
  return billable.showPrice?.(hold.amountMicros, address) ?? { quote: quoteOf(tariff, deliveryMicros(call)) }
}

/** A worker tells an account more than the price. */
function isDescribed({ caller, billable: { execution } }: PricedCall): boolean {
  return caller !== undefined && execution.kind === 'operation' && execution.operation.dryRun !== undefined
}

function reveal(
  context: ApiContext,
  { billable, address }: Pick<PricedCall, 'billable' | 'address'>,
  answer: Answer,
): Answer {
  if (answer.kind !== 'result' || !billable.reveal) return answer
  return { ...answer, result: billable.reveal(answer.result, context, address) }
}

/** Reads the headers of the call. The caller is already identified. */
function describeCall(
  context: ApiContext,
  billable: Billable,
  request: IncomingCall,
): Omit<IdentifiedCall, 'id' | 'temporaryFiles'> {
  const { availability, settings } = context
  const { caller, payment } = request
  const { preference, ...named } = readCallHeaders(request)
  const { uses, needs, anyOf = [] } = billable
  if (uses.length + needs.length + anyOf.length > 0) availability.require(billable)
  const address = readAddress(context, billable, request)
  const instantBytes = preference.isAsync ? 0 : allowedInstantBytes(billable, settings)
  return { billable, request, address, caller, payment, preference, ...named, instantBytes }
}

const NO_ADDRESS: Address = { params: {}, query: {}, headers: {} }

/** Discovery tools ask without the headers that a purchase needs. They are told between what its price lies. */
function readAddress(context: ApiContext, billable: Billable, request: IncomingCall): Address {
  try {
    return billable.readAddress?.(request) ?? NO_ADDRESS
  } catch (error) {
    const isMissing = error instanceof Problem && error.code === 'MISSING_FIELD'
    const isInquiry = !billable.hasFields && !request.caller && (request.body === undefined || request.body === null)
    throw isMissing && isInquiry ? paymentRequired(context, billable) : error
  }
}

function allowedInstantBytes({ execution, name, alwaysTicket }: Billable, settings: Settings): number {
  if (execution.kind === 'route' || alwaysTicket || settings.get('instant.off').includes(name)) return 0
  return Math.min(execution.operation.instant?.maxBytes ?? 0, settings.get('instant.max_input_bytes'))
}

/** An anonymous call gets its 402 before a body is read that could not be priced. */
async function receiveCall(context: ApiContext, call: IdentifiedCall): Promise<ReceivedCall> {
  const { billable, caller, request, instantBytes, temporaryFiles } = call
  const { settings, store, payments } = context
  if (!billable.hasFields) return { ...call, ...describeNoFields(request, call.address) }
  const isMissing = !billable.isBodyOptional && (request.body === undefined || request.body === null)
  if (billable.execution.kind === 'operation' && !(request.body instanceof Readable))
    rejectFieldsInQuery(request.query as object, billable.input)
  const isUnpriceable = payments ? isMissing : request.body instanceof Readable
  if (!caller && isUnpriceable) throw paymentRequired(context, billable)
  const received = await receiveBody(request, billable.input, {
    callId: call.id,
    store,
    maxBytes: settings.get('cputools.io.max_storage_ref_bytes'),
    memoryBytes: Math.max(INLINE_FILE_BYTES, instantBytes),
    isOptional: billable.isBodyOptional,
    check: body => validate(billable.input, body, request),
  })
  temporaryFiles.defer(() => discardUploads(received.uploads.values(), store))
  if (!caller && !payments) throw paymentRequired(context, billable)
  return { ...call, ...received }
}

function readPreference(header: string | string[] | undefined): Preference {
  if (header === undefined) return NONE
  const words = (Array.isArray(header) ? header.join(',') : header).toLowerCase().split(/[,;]\s*/)
  const wait = words.map(word => /^wait\s*=\s*"?(\d{1,5})"?$/.exec(word.trim())?.[1]).find(Boolean)
  return {
    isAsync: words.some(word => word.trim() === 'respond-async'),
    waitSeconds: wait === undefined ? undefined : Math.min(MAX_WAIT_SECONDS, Number(wait)),
  }
}

export const MAX_PRICE_HEADER = 'x-max-price-micros'

/** What the headers of a call say of how it is answered, and what makes it the same call as an earlier one. */
function readCallHeaders({ headers, payment }: Pick<IncomingCall, 'headers' | 'payment'>) {
  const limit = headers[MAX_PRICE_HEADER]
  return {
    preference: readPreference(headers.prefer),
    idempotencyKey: readIdempotencyKey(headers['idempotency-key'], payment),
    limitMicros: limit === undefined ? undefined : readMaxPrice(limit),
  }
}

/** The idempotency key: from the header or from the payment, and if both, the same. */
export function readIdempotencyKey(
  header: string | string[] | undefined,
  payment: Payment | undefined,
): string | undefined {
  const key = keyInHeader(header)
  const identifier = payment?.payload.identifier
  if (key !== undefined && identifier !== undefined && key !== identifier) {
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['Idempotency-Key', 'payment-identifier'] })
  }
  return key ?? identifier
}

/** Accepts the value with or without the quotes of a structured header. */
function keyInHeader(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const text = Array.isArray(header) ? header.join(',') : header
  const key = /^".*"$/.test(text) ? text.slice(1, -1) : text
  if (!IDEMPOTENCY_KEY.test(key)) throw new Problem('INVALID_IDEMPOTENCY_KEY')
  return key
}

interface GivenFlags extends CallOptions {
  async?: boolean
  dryRun?: boolean
  deliver?: Record<string, unknown>
}

/** Separates what the intake reads of a body from what the operation does. */
function readFlags({ billable, address, preference, body }: ReceivedCall): CallFlags {
  const { async, dryRun, deliver, filename, inlineOutput, ...fields } = body as GivenFlags & Record<string, unknown>
  const wantsTicket = async ?? (preference.isAsync && preference.waitSeconds === undefined)
  const isDryRun = dryRun ?? address.headers['X-Dry-Run'] === true
  return {
    options: { filename, inlineOutput },
    deliver,
    isDryRun,
    // A quote is soon found, also where the work takes long.
    isAsync: billable.execution.kind === 'operation' && (wantsTicket || (billable.alwaysTicket && !isDryRun)),
    fields,
  }
}

import type { FastifyReply } from 'fastify'
import { isUuid, Problem } from '#kit'
import { findNearest } from '../../tasks/formats/words/nearest.ts'
import type { NamedRoute } from '../catalog.ts'
import type { ApiContext } from '../context.ts'
import type { IncomingCall } from '../incoming-call.ts'
import { performCall } from '../intake/call-handler.ts'
import { identifyInnerCall } from '../intake/identity/identify.ts'
import type { Answer } from '../intake/reply/answer.ts'
import { toProblem } from '../intake/reply/problem.ts'
import { type AnsweredCall, describeTicket, setResultHeaders, setTicketHeaders } from '../intake/reply/send.ts'
import { performRoute } from '../intake/route-handler.ts'
import { PaymentProblem } from '../intake/x402/errors.ts'
import { setRefusalHeaders } from '../intake/x402/payment-headers.ts'
import { isObject } from '../intake/x402/payments.ts'
import { requireScopeOf } from '../oauth/scopes.ts'
import { splitWords } from '../surfaces/search/words.ts'
import { describeAnswerOfRoute, describeResult, describeValues, type ToolResult } from './content.ts'
import type { McpExchange } from './exchange.ts'
import { approverOf, InputRequired } from './live/approval.ts'
import { CallCancelled, ToolRun } from './live/run.ts'
import { type Fields, metaOf } from './message.ts'
import { describeOffer, readMetaPayment, readReceipts } from './payment.ts'
import { CODES, isForTransport, McpError, META } from './protocol.ts'
import { describeSent, describeTooLarge, MAX_SENT_BYTES } from './sent-bytes.ts'
import { createTask } from './tasks.ts'
import { nameByArguments, openStoredFile } from './tool-body.ts'
import type { ToolCall } from './tool-calls.ts'
import { ToolReply } from './tool-reply.ts'
import { makeToolRequest, type ToolOptions } from './tool-request.ts'

/** Below the minute after which most clients give up. */
const WAIT_WITH_PROGRESS_SECONDS = 50
const JOB_TOOL = 'job_get'

/** Performs a tool by the same steps as its call over REST. */
export async function callTool(exchange: McpExchange, name: unknown, given: unknown): Promise<object> {
  const tool = findTool(exchange, name)
  if (given !== undefined && !isObject(given)) throw new McpError(CODES.invalidParams, 'arguments must be an object.')
  const reply = new ToolReply()
  const args = given ?? {}
  using run = new ToolRun(exchange, jobWaitedFor(tool, args))
  const result = await perform(exchange, tool, { args, run, reply }).catch(error =>
    describeFailure(exchange, tool, error, reply),
  )
  run.requireOpen()
  copyHeaders(reply, exchange.reply)
  return withFacts(result, reply)
}

export function findTool({ tools }: McpExchange, name: unknown): ToolCall {
  const text = String(name)
  const tool = tools.get(text) ?? tools.get(text.replaceAll(/[.-]/g, '_'))
  if (tool) return tool
  const near = findSameWords(text, [...tools.keys()]) ?? findNearest(text, [...tools.keys()])
  // Most clients show their model the message alone.
  const advice = near ? `Did you mean ${near}? ` : ''
  throw new McpError(CODES.invalidParams, `Unknown tool: ${text.slice(0, 128)}. ${advice}search_tools finds tools.`, {
    data: { ...(near && { didYouMean: near }), findWith: 'search_tools' },
  })
}

/** `merge_pdf` and `mergePdf` mean `pdf_merge`. */
function findSameWords(text: string, names: readonly string[]): string | undefined {
  const sorted = (name: string) => splitWords(name).toSorted().join(' ')
  const wanted = sorted(text)
  return names.find(name => sorted(name) === wanted)
}

/** The tool that waits for a job of an earlier call tells of its progress, and leaves it running when it is cancelled. */
function jobWaitedFor({ entry }: ToolCall, { id }: Fields): string | undefined {
  return entry.tool === JOB_TOOL && isUuid(String(id)) ? String(id) : undefined
}

interface Attempt {
  args: Fields
  run: ToolRun
  reply: ToolReply
}

async function perform(
  exchange: McpExchange,
  tool: ToolCall,
  { args, run, reply }: Attempt,
): Promise<ToolResult | object> {
  const { context, message } = exchange
  const meta = metaOf(message)
  const payment = readMetaPayment(meta)
  const identity = await identifyInnerCall(context, { auth: tool.auth, payment }, exchange.request, exchange.reply)
  const idempotencyKey = readMetaKey(meta)
  requireScopeOf(tool, identity.caller)
  const stored = await openStoredFile(context, tool, args, identity.caller)
  const options = { payment, idempotencyKey, ...readOptions(exchange) }
  const request = makeToolRequest(exchange.request, tool, { args, identity, stored, ...options })
  const accountId = identity.caller?.accountId
  if (accountId !== undefined) run.follow({ accountId, isOwn: tool.kind === 'billable' })
  if (tool.kind === 'billable') {
    const send = (_context: ApiContext, call: AnsweredCall, answer: Answer) =>
      describeAnswer(exchange, call, answer, reply)
    const askPrice = approverOf(exchange, args, run)
    return performCall(context, tool.billable, { request, reply, id: run.jobId, askPrice }, send)
  }
  return callRoute(exchange, tool.route, request, reply)
}

/** Bytes are only drawn if they fit into the answer: a HEAD tells their size first, and leaves everything as it was. */
async function callRoute(
  { context, reply: outer }: McpExchange,
  route: NamedRoute,
  request: IncomingCall,
  reply: ToolReply,
): Promise<ToolResult> {
  const uri = context.config.publicUrl + request.url
  const isJson = route.reply.schema !== undefined
  if (route.at.startsWith('GET ') && !isJson && route.reply.contentType !== undefined) {
    const peeked = new ToolReply()
    await performRoute(context, route, { ...request, method: 'HEAD' }, peeked)
    const size = Number(peeked.getHeader('content-length') ?? 0)
    if (size > MAX_SENT_BYTES) return describeTooLarge(peeked, uri, size)
  }
  const answer = await performRoute(context, route, request, reply)
  if (answer !== undefined) return describeAnswerOfRoute(answer)
  const result = await describeSent(reply, { uri, isJson })
  const isWhole = result.content.every(({ type }) => type !== 'resource_link')
  if (isWhole) outer.raw.once('finish', () => reply.raw.emit('finish'))
  return result
}

/** A client that is told of the progress waits longer before it gets a ticket. */
function readOptions({ message, stream }: McpExchange): Pick<ToolOptions, 'maxPriceMicros' | 'waitSeconds'> {
  const meta = metaOf(message)
  const maxPrice = meta[META.maxPriceMicros]
  return {
    maxPriceMicros: maxPrice === undefined ? undefined : String(maxPrice),
    waitSeconds: stream && meta.progressToken !== undefined ? WAIT_WITH_PROGRESS_SECONDS : undefined,
  }
}

function readMetaKey(meta: Fields): string | undefined {
  const key = meta[META.idempotencyKey]
  return key === undefined ? undefined : String(key)
}

async function describeAnswer(
  exchange: McpExchange,
  call: AnsweredCall,
  answer: Answer,
  reply: ToolReply,
): Promise<ToolResult | object> {
  const { context, era } = exchange
  switch (answer.kind) {
    case 'streamed':
      throw new Error('a tool has no answer that comes piece by piece')
    case 'quote':
      return describeValues(answer.body)
    case 'ticket':
      setTicketHeaders(call, answer, reply)
      if (era.hasTasks) return createTask(context, call.caller!.accountId, answer.id)
      return describeValues({ ...describeTicket(answer), next: describeNext(answer.id) })
    case 'result': {
      setResultHeaders(call, answer, reply)
      const { inlineOutput } = call.options
      return describeResult(call.billable.output, answer.result, {
        store: context.store,
        inlineOutput,
        jobId: answer.id,
      })
    }
  }
}

/** What a model can mend is a result; what only its client can is an error of the transport. */
function describeFailure(
  exchange: McpExchange,
  { entry, inHeaders }: ToolCall,
  error: unknown,
  reply: ToolReply,
): ToolResult | object {
  if (error instanceof InputRequired) return error.result
  if (error instanceof McpError || error instanceof CallCancelled || isForTransport(error)) throw error
  const problem = toProblem(error)
  if (problem.code === 'INTERNAL') {
    exchange.request.log.error({ err: error }, 'bug')
    throw new McpError(CODES.internal, problem.message)
  }
  const { offers } = exchange.request.server
  // Where no payment can be settled, a 401 makes clients ask their user for a token.
  if (problem.code === 'PAYMENT_REQUIRED' && !offers) throw new Problem('MISSING_AUTH')
  if (problem instanceof PaymentProblem && offers && !reply.hasHeader('payment-response')) {
    setRefusalHeaders(reply, offers.network, problem.hints)
  }
  if (problem.status === 402 || problem instanceof PaymentProblem) return describeOffer(problem, entry, offers)
  return describeValues(nameByArguments(problem.toBody(), inHeaders), [], true)
}

const COPIED = new Set([
  'payment-response',
  'x-payment-response',
  'idempotency-replayed',
  'retry-after',
  'x-service-charged-micros',
  'x-service-original-charged-micros',
  'x-service-job-id',
])

/** Clients that wrap the transport read the headers of HTTP. */
function copyHeaders(from: ToolReply, to: FastifyReply): void {
  for (const [name, value] of from.fields) if (COPIED.has(name)) to.header(name, value as string)
}

/** The receipt and the charge, which are for programs and not for models. */
function withFacts(result: ToolResult | object, reply: ToolReply): object {
  const receipts = readReceipts(reply)
  const chargedMicros = reply.getHeader('x-service-charged-micros')
  const charge = chargedMicros !== undefined && {
    [META.charge]: {
      chargedMicros,
      jobId: reply.getHeader('x-service-job-id'),
      ...(reply.hasHeader('idempotency-replayed') && { isReplay: true }),
    },
  }
  const { _meta } = result as { _meta?: Fields }
  const meta = { ..._meta, ...charge, ...receipts }
  return Object.keys(meta).length > 0 ? { ...result, _meta: meta } : result
}

function describeNext(id: string): string {
  return `Call job_get with id ${id} and wait 30. ceiling_micros is the most that it costs, actualMicros of job_get what was charged.`
}

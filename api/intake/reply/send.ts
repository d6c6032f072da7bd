import type { Readable } from 'node:stream'
import type { StoredOutput } from '#kit'
import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import { contentDisposition } from '../../../ops/providers/storage/disposition.ts'
import { withEnvelopes } from '../../../ops/providers/storage/envelope.ts'
import type { ApiContext } from '../../context.ts'
import type { FundedCall, PricedCall } from '../call.ts'
import { keyNamer } from '../files/price-token.ts'
import { proveAnswer, setReceiptHeaders } from '../x402/payment-headers.ts'
import type { Answer } from './answer.ts'
import { asksForPieces, sendAsPieces } from './pieces.ts'
import type { AnswerSink } from './sink.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** A call that only asked for its price, or whose key stands for an earlier one, has no funding. */
export type AnsweredCall = Pick<PricedCall, 'billable' | 'request' | 'options' | 'caller' | 'body'> &
  Partial<Pick<FundedCall, 'funding'>>

/** Writes the answer of a call as the HTTP reply. */
export async function sendAnswer(
  context: ApiContext,
  call: AnsweredCall,
  answer: Answer,
  reply: AnswerSink,
): Promise<AnswerSink> {
  switch (answer.kind) {
    case 'quote':
      return sendQuote(answer, reply)
    case 'ticket':
      return sendTicket(call, answer, reply)
    case 'result':
      return sendResult(context, call, answer, reply)
    case 'streamed':
      return reply
  }
}

/** The envelope, or the bytes of the one file where the caller asked for those. */
async function sendResult(
  { store, config }: ApiContext,
  call: AnsweredCall,
  answer: Extract<Answer, { kind: 'result' }>,
  reply: AnswerSink,
): Promise<AnswerSink> {
  const { billable, request, options, caller } = call
  const nameKey = (key: string) => keyNamer(config.secret, caller)(key)
  const { result } = answer
  setResultHeaders(call, answer, reply)
  if (billable.describeResult) reply.headers(billable.describeResult(result))
  reply.code(billable.status)
  const canStream = billable.execution.kind === 'operation' && billable.execution.operation.streaming !== undefined
  if (canStream && asksForPieces(call, reply)) return sendAsPieces(call, reply, answer.id, result)
  const sole = wantsRawOutput(request.headers.accept) ? soleOutput(result) : undefined
  if (sole) return sendRawOutput(reply, { ...sole, nameKey }, store)
  const body = await withEnvelopes(billable.output, result, { store, nameKey, inlineOutput: options.inlineOutput })
  return reply.type(JSON_TYPE).send(JSON.stringify(body))
}

/** What the call was charged, and the receipt of its payment. */
export function setResultHeaders(
  { funding, request }: Pick<AnsweredCall, 'funding' | 'request'>,
  { id, chargedMicros, isReplay }: Extract<Answer, { kind: 'result' }>,
  reply: AnswerSink,
): void {
  // A replay costs nothing; what the first call cost is told apart, so that summing the charges counts each call once.
  const newlyChargedMicros = isReplay ? 0n : chargedMicros
  if (funding?.kind === 'payment') {
    const extensions = proveAnswer(request, funding)
    setReceiptHeaders(reply, funding, { chargedMicros: newlyChargedMicros, extensions })
  }
  if (isReplay) {
    reply.header('idempotency-replayed', 'true')
    reply.header('x-service-original-charged-micros', chargedMicros.toString())
  }
  reply.header('x-service-charged-micros', newlyChargedMicros.toString()).header('x-service-job-id', id)
}

/** The same for every request of the same job; its current state is told at the ticket's address. */
function sendTicket(call: AnsweredCall, answer: TicketAnswer, reply: AnswerSink): AnswerSink {
  setTicketHeaders(call, answer, reply)
  return reply
    .code(202)
    .header('location', `/v1/jobs/${answer.id}`)
    .header('retry-after', '1')
    .header('preference-applied', 'respond-async')
    .type(JSON_TYPE)
    .send(JSON.stringify(describeTicket(answer)))
}

type TicketAnswer = Extract<Answer, { kind: 'ticket' }>

/** The receipt of a payment that a job still holds. */
export function setTicketHeaders(
  { funding }: Pick<AnsweredCall, 'funding'>,
  { id, ceilingMicros, isReplay }: TicketAnswer,
  reply: AnswerSink,
): void {
  if (funding?.kind === 'payment' && !isReplay)
    setReceiptHeaders(reply, funding, { chargedMicros: 0n, heldMicros: ceilingMicros })
  if (isReplay) reply.header('idempotency-replayed', 'true')
  reply.header('x-service-job-id', id).header('x-service-charged-micros', '0')
}

export function describeTicket({ id, ceilingMicros }: TicketAnswer): object {
  return { ticket: id, id, status: 'submitted', ceiling_micros: ceilingMicros.toString() }
}

function sendQuote({ body }: Extract<Answer, { kind: 'quote' }>, reply: AnswerSink): AnswerSink {
  return reply.type(JSON_TYPE).header('x-service-charged-micros', '0').send(JSON.stringify(body))
}

const JSON_ACCEPTED = /(^|[\s,])(application\/(json|\*|[\w.-]+\+json)|\*\/\*)\s*($|[;,])/i
const BYTES_ACCEPTED = /^\s*(application|image|audio|video|font|text)\/[\w.*+-]+/i

/** Whether the caller wants the bytes: it accepts a file type and no JSON. */
export function wantsRawOutput(accept: string | undefined): boolean {
  return accept !== undefined && BYTES_ACCEPTED.test(accept) && !JSON_ACCEPTED.test(accept)
}

/** The file of a result that consists of one file and facts about it. */
export function soleOutput(result: unknown): { output: StoredOutput; facts: Record<string, unknown> } | undefined {
  if (typeof result !== 'object' || result === null || !('output' in result)) return undefined
  const { output, ...facts } = result as { output: Partial<StoredOutput> | undefined }
  const isStored = output && (output.key !== undefined || output.inline !== undefined)
  return isStored ? { output: output as StoredOutput, facts } : undefined
}

const MAX_FACTS_CHARS = 4096

/** Answers with the bytes; the rest of the result goes into `X-Service-Result`. */
export async function sendRawOutput(
  reply: AnswerSink,
  sole: { output: StoredOutput; facts: Record<string, unknown>; nameKey?: (key: string) => string },
  store: ObjectStore,
): Promise<AnswerSink> {
  const { output, facts, nameKey } = sole
  const body: Readable | Buffer = output.key ? await store.read(output.key) : Buffer.from(output.inline!, 'base64')
  const factsText = toAsciiJson(facts)
  if (factsText !== '{}' && factsText.length <= MAX_FACTS_CHARS) reply.header('x-service-result', factsText)
  if (output.key) reply.header('x-service-output-key', nameKey?.(output.key) ?? output.key)
  return reply
    .header('content-type', output.contentType)
    .header('content-length', output.sizeBytes)
    .header('content-disposition', contentDisposition(output.name))
    .header('x-content-type-options', 'nosniff')
    .send(body)
}

/** Headers must be ASCII, so other characters are escaped in the JSON. */
function toAsciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

import type { PassThrough } from 'node:stream'
import type { Streaming } from '#kit'
import type { FundedCall, PricedCall } from '../call.ts'
import { encodeReceipt, proveAnswer, setReceiptHeaders } from '../x402/payment-headers.ts'
import type { AnswerSink } from './sink.ts'

const EVENT_STREAM = 'text/event-stream; charset=utf-8'

type AskedCall = Pick<PricedCall, 'billable' | 'request'> & { body?: unknown }

/** Whether the caller wants the answer as events. Only HTTP can carry them. */
export function asksForPieces(call: AskedCall, reply: AnswerSink): boolean {
  const streaming = streamingOf(call)
  if (!streaming || !('hijack' in reply)) return false
  return streaming.isAsked
    ? streaming.isAsked(call.body)
    : /\btext\/event-stream\b/.test(call.request.headers.accept ?? '')
}

export function streamingOf({ billable: { execution } }: AskedCall): Streaming | undefined {
  return execution.kind === 'operation' ? execution.operation.streaming : undefined
}

/** Sends the headers. What the call is charged is known at its end, and stands in its last event. */
export function beginPieces({ id, funding, hold }: FundedCall, reply: AnswerSink, stream: PassThrough): PassThrough {
  if (funding.kind === 'payment')
    setReceiptHeaders(reply, funding, { chargedMicros: 0n, heldMicros: hold.amountMicros })
  reply
    .code(200)
    .header('x-service-job-id', id)
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
    .type(EVENT_STREAM)
    .send(stream)
  return stream
}

/**
 * The receipt of a payment, once the charge is known: a comment, which readers of events skip, because clients of other services
 * know no event of ours.
 */
export function writeReceipt({ funding, request }: FundedCall, chargedMicros: bigint): string {
  if (funding.kind !== 'payment') return ''
  return `: payment-response ${encodeReceipt(funding, { chargedMicros, extensions: proveAnswer(request, funding) })}\n\n`
}

/** A whole answer as a stream, such as that of a repeated call. */
export function sendAsPieces(call: AskedCall, reply: AnswerSink, jobId: string, result: unknown): AnswerSink {
  return reply
    .code(200)
    .type(EVENT_STREAM)
    .send(streamingOf(call)!.open({ jobId, body: call.body }).writeEnd(result))
}

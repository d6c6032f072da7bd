import { randomBytes } from 'node:crypto'

/** A place in a trace, as W3C Trace Context hands it from one process to the next. */
export interface TraceContext {
  traceId: string
  spanId: string
  /** Whether the spans of this trace are recorded. */
  isSampled: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

/** Gives nothing for what is not valid: a new trace begins then. A later version may have more fields at its end. */
export function parseTraceparent(text: string | string[] | null | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, more] = (typeof text === 'string' && TRACEPARENT.exec(text.trim())) || []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId!) || /^0+$/.test(spanId!)) return undefined
  return { traceId: traceId!, spanId: spanId!, isSampled: (Number.parseInt(flags!, 16) & SAMPLED) === SAMPLED }
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

const POOL_BYTES = 8_192
const TRACE_BYTES = 16
const SPAN_BYTES = 8
let pool: Buffer = Buffer.alloc(0)
let used = 0

/** Random bytes are drawn many at a time, because each draw costs more than a span. */
function drawHex(bytes: number): string {
  if (used + bytes > pool.length) {
    pool = randomBytes(POOL_BYTES)
    used = 0
  }
  used += bytes
  return pool.toString('hex', used - bytes, used)
}

export function createTraceId(): string {
  return drawHex(TRACE_BYTES)
}

export function createSpanId(): string {
  return drawHex(SPAN_BYTES)
}

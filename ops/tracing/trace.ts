import { AsyncLocalStorage } from 'node:async_hooks'
import { Problem } from '#kit'
import { createSpanId, createTraceId, formatTraceparent, type TraceContext } from './context.ts'

// Decision 0590: send traces by code of our own.

/** As OTLP numbers them. */
const KINDS = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
type SpanKind = keyof typeof KINDS

/** Names, counts and codes. Never what a caller sent, nor an address: see `ops/observability.md`. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A piece of work with its place in a trace. Times are milliseconds since the epoch. */
export interface Span extends TraceContext {
  name: string
  kind: (typeof KINDS)[SpanKind]
  parentSpanId: string | undefined
  startedAtMs: number
  endedAtMs: number
  attributes: Attributes
  /** The class of what went wrong, or the code of a problem that is a fault of ours. */
  error: string | undefined
}

/** What takes the spans of this process, and decides which traces that begin here are recorded. */
export interface Recorder {
  shouldSample(traceId: string, parent: TraceContext | undefined): boolean
  record(span: Span): void
}

const current = new AsyncLocalStorage<Span>()
let recorder: Recorder | undefined

/** Without a recorder nothing is traced, and every function here does nothing but its caller's work. */
export function recordTo(opened: Recorder | undefined): void {
  recorder = opened
}

export function isTracing(): boolean {
  return recorder !== undefined
}

/** The trace that the running code belongs to. */
export function currentTrace(): Span | undefined {
  return recorder && current.getStore()
}

/** The header by which another process goes on with the trace; no header if there is none. */
export function currentTraceparent(): { traceparent?: string } {
  const context = currentTrace()
  return context ? { traceparent: formatTraceparent(context) } : {}
}

/** Begins a trace, or goes on with one that came from outside. Who begins it ends it. */
export function beginTrace(
  name: string,
  kind: SpanKind,
  options: { parent?: TraceContext; attributes?: Attributes } = {},
): Span | undefined {
  if (!recorder) return undefined
  const traceId = options.parent?.traceId ?? createTraceId()
  const isSampled = recorder.shouldSample(traceId, options.parent)
  return openSpan(name, kind, { ...options, context: { traceId, spanId: options.parent?.spanId, isSampled } })
}

/** Runs work as part of a trace. */
export function runInTrace<Result>(span: Span | undefined, work: () => Result): Result {
  return span ? current.run(span, work) : work()
}

/** Tells how the current span went, where that is no error that is thrown. */
export function noteInSpan(attributes: Attributes, error?: string): void {
  const span = currentTrace()
  if (!span?.isSampled) return
  span.attributes = { ...span.attributes, ...attributes }
  span.error = error
}

export function endSpan(
  span: Span | undefined,
  { error, ...end }: { attributes?: Attributes; error?: unknown } = {},
): void {
  if (!span?.isSampled || !recorder) return
  span.endedAtMs = now()
  if (end.attributes) span.attributes = { ...span.attributes, ...end.attributes }
  if (error !== undefined) noteError(span, error)
  recorder.record(span)
}

/** Does work as a span of the current trace; without one that is recorded it does nothing else. */
export function trace<Result>(
  name: string,
  attributes: Attributes | undefined,
  work: () => Promise<Result>,
  kind: SpanKind = 'internal',
): Promise<Result> {
  const parent = currentTrace()
  if (!parent?.isSampled) return work()
  return runAsSpan(openSpan(name, kind, { context: parent, attributes }), work)
}

/** Does work in a trace that another process of ours began, or in a new one; the same trace is recorded everywhere. */
export function traceFrom<Result>(
  parent: TraceContext | undefined,
  { name, kind, attributes }: { name: string; kind: SpanKind; attributes?: Attributes },
  work: () => Promise<Result>,
): Promise<Result> {
  if (!recorder) return work()
  const span = parent ? openSpan(name, kind, { context: parent, attributes }) : beginTrace(name, kind, { attributes })
  return span ? runAsSpan(span, work) : work()
}

/** Records work of the current trace that has ended already. */
export function recordSpan(
  name: string,
  kind: SpanKind,
  {
    startedAtMs,
    endedAtMs = now(),
    attributes,
    error,
  }: {
    startedAtMs: number
    endedAtMs?: number
    attributes?: Attributes
    error?: unknown
  },
): void {
  const parent = currentTrace()
  if (!parent?.isSampled) return
  const span = openSpan(name, kind, { context: parent, attributes })
  Object.assign(span, { startedAtMs, endedAtMs })
  if (error !== undefined) noteError(span, error)
  recorder!.record(span)
}

async function runAsSpan<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await current.run(span, work)
    endSpan(span)
    return result
  } catch (error) {
    endSpan(span, { error })
    throw error
  }
}

function openSpan(
  name: string,
  kind: SpanKind,
  {
    context,
    attributes = {},
  }: {
    context: { traceId: string; spanId: string | undefined; isSampled: boolean }
    attributes?: Attributes
  },
): Span {
  const { traceId, spanId: parentSpanId, isSampled } = context
  const startedAtMs = now()
  return {
    traceId,
    spanId: createSpanId(),
    isSampled,
    parentSpanId,
    name,
    kind: KINDS[kind],
    startedAtMs,
    endedAtMs: startedAtMs,
    attributes,
    error: undefined,
  }
}

/** A message may quote what a caller sent, so only its class is kept; of a problem its code, which may be all that is given. */
function noteError(span: Span, error: unknown): void {
  if (error instanceof Problem) {
    span.attributes = { ...span.attributes, 'coinop.problem': error.code }
    if (error.status >= 500) span.error = error.code
  } else if (typeof error === 'string') span.error = error
  else span.error = error instanceof Error ? error.name : 'Error'
}

/** The clock of the machine, with fractions of milliseconds. */
function now(): number {
  return performance.timeOrigin + performance.now()
}

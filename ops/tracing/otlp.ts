import type { Attributes, Span } from './trace.ts'

const STATUS_ERROR = 2
const NANOSECONDS = 1e6

/** What is told of the process with each batch. */
export type Resource = Readonly<Record<string, string | number>>

/** Spans as an `ExportTraceServiceRequest` of OTLP 1.x in its JSON form: ids are hexadecimal, 64-bit numbers are strings. */
export function encodeSpans(spans: readonly Span[], resource: Resource): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [{ scope: { name: 'coinop' }, spans: spans.map(encodeSpan) }],
      },
    ],
  })
}

function encodeSpan(span: Span): object {
  const { traceId, spanId, parentSpanId, name, kind, startedAtMs, endedAtMs, attributes, error } = span
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    startTimeUnixNano: toNanoseconds(startedAtMs),
    endTimeUnixNano: toNanoseconds(Math.max(startedAtMs, endedAtMs)),
    attributes: encodeAttributes({ ...attributes, 'error.type': error }),
    status: error === undefined ? {} : { code: STATUS_ERROR, message: error },
  }
}

/** Beyond 2^53 the last digits are rounded, which is less than a microsecond. */
function toNanoseconds(ms: number): string {
  return String(Math.round(ms * NANOSECONDS))
}

function encodeAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encode(value) }],
  )
}

function encode(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as a collector of OTLP sees it. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: number
  startMs: number
  endMs: number
  error: string | undefined
  attributes: Record<string, string | number | boolean>
  /** Of the process. */
  resource: Record<string, string | number | boolean>
}

interface Batch {
  path: string
  headers: IncomingHttpHeaders
  /** As it came. */
  text: string
  spans: ReceivedSpan[]
}

export interface Collector extends AsyncDisposable {
  url: string
  batches: Batch[]
  spans(): ReceivedSpan[]
  /** From now on batches are answered so. */
  answer(with_: (response: ServerResponse) => void): void
}

interface OtlpValue {
  stringValue?: string
  intValue?: string
  doubleValue?: number
  boolValue?: boolean
}
type OtlpAttributes = { key: string; value: OtlpValue }[]
interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: OtlpAttributes
  status: { code?: number; message?: string }
}
interface OtlpRequest {
  resourceSpans: { resource: { attributes: OtlpAttributes }; scopeSpans: { spans: OtlpSpan[] }[] }[]
}

/** Takes traces by OTLP over HTTP in JSON, as a collector does, and throws at what is not valid. */
export async function openCollector(): Promise<Collector> {
  const batches: Batch[] = []
  let answer: (response: ServerResponse) => void = response =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk as Buffer))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      batches.push({ path: request.url ?? '', headers: request.headers, text, spans: decode(JSON.parse(text)) })
      answer(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    batches,
    spans: () => batches.flatMap(({ spans }) => spans),
    answer: with_ => {
      answer = with_
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function decode({ resourceSpans }: OtlpRequest): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(span => ({
        traceId: requireHex(span.traceId, 32),
        spanId: requireHex(span.spanId, 16),
        parentSpanId: span.parentSpanId === undefined ? undefined : requireHex(span.parentSpanId, 16),
        name: span.name,
        kind: span.kind,
        startMs: toMs(span.startTimeUnixNano),
        endMs: toMs(span.endTimeUnixNano),
        error: span.status.code === 2 ? span.status.message : undefined,
        attributes: decodeAttributes(span.attributes),
        resource: decodeAttributes(resource.attributes),
      })),
    ),
  )
}

function requireHex(text: string, digits: number): string {
  if (!new RegExp(`^[0-9a-f]{${digits}}$`).test(text)) throw new Error(`not an id of ${digits} digits: ${text}`)
  return text
}

function toMs(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000n) / 1_000
}

function decodeAttributes(attributes: OtlpAttributes): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(BigInt(value.intValue!)),
    ]),
  )
}

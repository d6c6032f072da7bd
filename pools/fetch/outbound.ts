import type { IncomingMessage } from 'node:http'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { trace } from '../../ops/tracing/trace.ts'
import { createDecoders } from './content-codings.ts'
import { createGuard, type Guard, type GuardOptions } from './guard.ts'

export interface FetchResponse {
  status: number
  headers: Record<string, string | string[]>
  body: Uint8Array
}

interface OutboundRequest {
  method?: string
  headers?: Record<string, string>
  body?: Uint8Array
  bytes: number
  signal: AbortSignal
}

/** Fetches from the web through the guard. Redirects are returned, not followed. */
export interface OutboundFetch {
  (url: string, request: OutboundRequest): Promise<FetchResponse>
  /** Checks all of an address that needs no look-up. Throws DestinationRefused. */
  check(url: string): URL
}

const TIMEOUT_MS = 15_000
/** To one host at once, as many as browsers open and a few more. */
const MAX_SOCKETS = 10
const KEPT_HEADERS = [
  ...['content-type', 'content-disposition', 'content-language', 'last-modified', 'location', 'refresh', 'set-cookie'],
  ...['origin', 'credentials', 'methods', 'headers'].map(name => `access-control-allow-${name}`),
]

export function createOutboundFetch(options?: GuardOptions): OutboundFetch {
  const guard = createGuard({ maxSockets: MAX_SOCKETS, ...options })
  const fetch = async (text: string, { bytes, signal, ...request }: OutboundRequest) => {
    const url = guard.parse(text)
    const timedSignal = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    const send = async () => {
      try {
        return await readResponse(await guard.request(url, { ...request, signal: timedSignal }), url, guard, bytes)
      } catch (error) {
        // A connection that is ended because time is over says that it was reset.
        throw timedSignal.reason ?? error
      }
    }
    return trace('fetch from the web', undefined, send, 'client')
  }
  return Object.assign(fetch, { check: (text: string) => guard.parse(text) })
}

async function readResponse(reply: IncomingMessage, url: URL, guard: Guard, bytes: number): Promise<FetchResponse> {
  const headers = Object.fromEntries(
    KEPT_HEADERS.flatMap(name => (reply.headers[name] === undefined ? [] : [[name, reply.headers[name]]])),
  )
  try {
    if (typeof headers.location === 'string') guard.parse(new URL(headers.location, url).href)
    return { status: reply.statusCode ?? 502, headers, body: await readBody(reply, bytes) }
  } finally {
    if (!reply.complete) reply.destroy()
  }
}

/** The limit is for what comes out of the decoders. */
async function readBody(reply: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  const collect = new Writable({
    write(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length
      chunks.push(chunk)
      done(sizeBytes > limitBytes ? new Error('more bytes than a page may fetch') : null)
    },
  })
  await pipeline([reply, ...createDecoders(reply), collect])
  return Buffer.concat(chunks)
}

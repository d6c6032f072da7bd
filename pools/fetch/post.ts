import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as requestPlain } from 'node:http'
import { request as requestSecure, Agent as SecureAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { createCheckedLookup } from '../../ops/providers/dns/checked-lookup.ts'
import { createHostResolver, type ResolveHost } from '../../ops/providers/dns/resolve.ts'
import {
  checkAddresses,
  type DestinationRules,
  literalAddresses,
  parseDestination,
} from '../../tasks/formats/web-address/destination.ts'

export interface PostReply {
  status: number
  headers: IncomingMessage['headers']
  /** The start of the body, as text. */
  body: string
}

/** Posts to a URL; throws if that is not allowed or fails. Redirects are returned, not followed. */
export type OutboundPost = (
  url: string,
  message: { headers: Record<string, string>; body: string; signal: AbortSignal },
) => Promise<PostReply>

const MAX_BODY_BYTES = 16 * 1_024
const KEPT_BODY_BYTES = 1_024
/** By then the status is known; a body that trickles in must not occupy a slot. */
const BODY_TIMEOUT_MS = 2_000
const IDLE_MS = 4_000

interface PostOptions {
  isTrusted: DestinationRules['isTrusted']
  resolve?: ResolveHost
}

/**
 * Posts to public addresses and trusted ones only. The addresses of a host are checked when it is connected to, and the
 * connection is made to one of those that were checked. Open connections are used again.
 */
export function createOutboundPost({ isTrusted, resolve = createHostResolver() }: PostOptions): OutboundPost {
  const rules: DestinationRules = { isTrusted, allowsPlainHttp: true }
  const agents = {
    'http:': new PlainAgent({ keepAlive: true, timeout: IDLE_MS }),
    'https:': new SecureAgent({ keepAlive: true, timeout: IDLE_MS }),
  }
  return async (text, message) => {
    const url = parseDestination(text)
    const literal = literalAddresses(url)
    if (literal) checkAddresses(url, literal, rules)
    const lookup = createCheckedLookup(url, literal ? async () => literal : resolve, rules)
    const open = () => send(url, { ...message, lookup, agent: agents[url.protocol as 'http:' | 'https:'] })
    try {
      return await open()
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error
      return await open()
    }
  }
}

/** The receiver closed a connection just as it was used again. It has not seen the message. */
class StaleConnection extends Error {}

interface SendOptions {
  headers: Record<string, string>
  body: string
  signal: AbortSignal
  lookup: LookupFunction
  agent: PlainAgent
}

async function send(url: URL, { headers, body, signal, lookup, agent }: SendOptions): Promise<PostReply> {
  const bytes = Buffer.from(body)
  const open = url.protocol === 'https:' ? requestSecure : requestPlain
  const sent = open(url, {
    method: 'POST',
    agent,
    lookup,
    signal,
    headers: { ...headers, 'content-length': bytes.length, 'accept-encoding': 'identity' },
  })
  const reply = await receive(sent, bytes)
  return { status: reply.statusCode ?? 0, headers: reply.headers, body: await readStart(reply) }
}

function receive(sent: ClientRequest, bytes: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve)
    sent.on('error', error => {
      const isReset = (error as NodeJS.ErrnoException).code === 'ECONNRESET'
      reject(sent.reusedSocket && isReset ? new StaleConnection() : error)
    })
    sent.end(bytes)
  })
}

/** Reads enough to keep the connection if the body is short, and closes it if it is long or slow. */
async function readStart(reply: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  const timer = setTimeout(() => reply.destroy(), BODY_TIMEOUT_MS)
  try {
    for await (const chunk of reply as AsyncIterable<Buffer>) {
      if (sizeBytes < KEPT_BODY_BYTES) chunks.push(chunk)
      sizeBytes += chunk.length
      if (sizeBytes > MAX_BODY_BYTES) break
    }
  } catch {
    // What has arrived is enough: the status is known.
  } finally {
    clearTimeout(timer)
    if (!reply.complete) reply.destroy()
  }
  return toPlainText(Buffer.concat(chunks).subarray(0, KEPT_BODY_BYTES))
}

/** Postgres stores no NUL characters. */
function toPlainText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll('\0', '\u{fffd}')
}

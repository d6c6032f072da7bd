import type { IncomingMessage } from 'node:http'
import { createGuard, type GuardOptions } from './guard.ts'

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

/**
 * Posts to public addresses and trusted ones only. The addresses of a host are checked when it is connected to, and the
 * connection is made to one of those that were checked. Open connections are used again.
 */
export function createOutboundPost(options: Pick<GuardOptions, 'isTrusted' | 'resolve'>): OutboundPost {
  const guard = createGuard(options)
  return async (text, { headers, body, signal }) => {
    const bytes = Buffer.from(body)
    const plain = { ...headers, 'content-length': bytes.length, 'accept-encoding': 'identity' }
    const reply = await guard.request(guard.parse(text), { method: 'POST', headers: plain, body: bytes, signal })
    return { status: reply.statusCode ?? 0, headers: reply.headers, body: await readStart(reply) }
  }
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

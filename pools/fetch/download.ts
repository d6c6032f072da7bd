import { createWriteStream } from 'node:fs'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Problem } from '#kit'
import { DestinationRefused } from '../../tasks/formats/web-address/destination.ts'
import { createDecoders } from './content-codings.ts'
import { createGuard, type Guard, type GuardOptions } from './guard.ts'

/** Writes the file at a URL to `path` and returns its size. Throws a Problem if that is not allowed or fails. */
export type Download = (url: string, limits: { path: string; bytes: number; signal: AbortSignal }) => Promise<number>

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
const TIMEOUT_MS = 30_000

/** Downloads from public addresses only. Each redirect is checked like the first address. */
export function createDownload(options?: GuardOptions): Download {
  const guard = createGuard(options)
  return async (address, { path, bytes, signal }) => {
    const timedSignal = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    try {
      const reply = await follow(guard.parse(address), guard, timedSignal)
      return await writeBody(reply, path, bytes, timedSignal)
    } catch (error) {
      signal.throwIfAborted()
      // A connection that is ended because time is over says that it was reset.
      throw toProblem(error instanceof Problem ? error : (timedSignal.reason ?? error))
    }
  }
}

/** The answer after redirects. One to a request with conditions may be 304. */
export async function follow(
  first: URL,
  guard: Guard,
  signal: AbortSignal,
  conditions: OutgoingHttpHeaders = {},
): Promise<IncomingMessage> {
  let url = first
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const reply = await guard.request(url, { signal, headers: conditions })
    const { statusCode: status = 502, headers } = reply
    if ((status >= 200 && status < 300) || (status === 304 && conditions['if-none-match'] !== undefined)) return reply
    reply.destroy()
    if (!REDIRECTS.includes(status) || !headers.location) throw new Problem('FETCH_FAILED', { status })
    url = guard.parse(new URL(headers.location, url).href)
  }
  throw new Problem('FETCH_FAILED', { reason: `more than ${MAX_REDIRECTS} redirects` })
}

async function writeBody(reply: IncomingMessage, path: string, limit: number, signal: AbortSignal): Promise<number> {
  if (Number(reply.headers['content-length']) > limit) {
    reply.destroy()
    throw tooLarge(limit)
  }
  const decoders = createDecoders(reply)
  const counter = new SizeLimit(limit)
  await pipeline([reply, ...decoders, counter, createWriteStream(path)], { signal })
  return counter.sizeBytes
}

/** The limit is for what comes out of the decoders. */
export class SizeLimit extends Transform {
  sizeBytes = 0
  readonly #limit: number

  constructor(limit: number) {
    super()
    this.#limit = limit
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, chunk?: Buffer) => void): void {
    this.sizeBytes += chunk.length
    if (this.sizeBytes > this.#limit) done(tooLarge(this.#limit))
    else done(null, chunk)
  }
}

function tooLarge(ceiling: number): Problem {
  return new Problem('STORED_INPUT_TOO_LARGE', { ceiling })
}

/** The detail of a network error names addresses inside, so callers get its code alone. */
function toProblem(error: unknown): unknown {
  if (error instanceof Problem) return error
  if (error instanceof DestinationRefused) return new Problem('URL_NOT_ALLOWED', { reason: error.message })
  const { name, code } = error as { name?: string; code?: unknown }
  if (code === 'ENOSPC' || code === 'EDQUOT') return error
  const isLate = name === 'TimeoutError' || name === 'AbortError'
  const reason = isLate ? `no complete answer within ${TIMEOUT_MS / 1000} seconds` : typeof code === 'string' && code
  return new Problem('FETCH_FAILED', reason ? { reason } : {})
}

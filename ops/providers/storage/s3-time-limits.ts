import { Readable } from 'node:stream'
import { StoreUnavailable } from './contract.ts'

// Without limits, a request to a server that went silent waits until the kernel gives up, which takes a quarter of an hour.

/** How long the server may take to accept a connection. */
export const CONNECT_MS = 2_000
/** How long it may take to begin an answer. */
export const ANSWER_MS = 5_000
/** Some servers join the parts of a large object before they answer. */
export const JOIN_MS = 120_000
/** How long it may pause within an answer while a reader waits for more. */
const PAUSE_MS = 10_000
/** How long it may take none of what is uploaded, and not answer either. */
export const SILENCE_MS = 10_000
/** The slowest line that an upload is given time for. */
const BYTES_PER_MS = 100

/** The time limit of a request with this body. */
export function timeToSend({ length }: Uint8Array): { requestTimeout: number } {
  return { requestTimeout: ANSWER_MS + Math.ceil(length / BYTES_PER_MS) }
}

const UNAVAILABLE =
  /^(TimeoutError|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT)$/

/** Too many requests, and errors of the server or of what stands before it; 501 and 507 would come again each time. */
const UNAVAILABLE_STATUS = new Set([429, 500, 502, 503, 504])

interface RequestError {
  name?: string
  code?: string
  $metadata?: { httpStatusCode?: number }
}

/** Throws an error as what it means for a caller who can wait or ask elsewhere. */
export function throwIfUnavailable(error: unknown): never {
  const { name = '', code = '', $metadata } = error as RequestError
  const isUnavailable = UNAVAILABLE.test(name) || UNAVAILABLE.test(code)
  throw isUnavailable || UNAVAILABLE_STATUS.has($metadata?.httpStatusCode ?? 0) ? new StoreUnavailable(error) : error
}

/**
 * The SDK repeats what has run out of time, also by the name of its cause. A server that went silent within an upload is not waited for
 * again.
 */
export function throwIfSilent(error: unknown): never {
  const { name, message } = error as Error
  throw name === 'TimeoutError' ? new StoreUnavailable(new Error(message)) : error
}

/** The bytes of an answer. One that ends early, or in which the server falls silent, is an error of the store. */
export function readAnswer(body: Readable, pauseMs = PAUSE_MS): Readable {
  // It may end before the first chunk is asked for, and nothing may ever ask.
  body.on('error', () => undefined)
  return Readable.from(readChunks(body, pauseMs), { objectMode: false }).once('close', () => body.destroy())
}

/** The time in which the reader does something else is not counted. */
async function* readChunks(body: Readable, pauseMs: number): AsyncGenerator<Buffer> {
  const giveUp = () => body.destroy(new StoreUnavailable(new Error('The server paused within an answer.')))
  let timer = setTimeout(giveUp, pauseMs)
  try {
    for await (const chunk of body) {
      clearTimeout(timer)
      yield chunk as Buffer
      timer = setTimeout(giveUp, pauseMs)
    }
  } catch (error) {
    throwIfUnavailable(error)
  } finally {
    clearTimeout(timer)
  }
}

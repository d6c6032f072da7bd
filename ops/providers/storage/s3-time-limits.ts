import { StoreUnavailable } from './contract.ts'

// Without limits, a request to a server that went silent waits until the kernel gives up, which takes a quarter of an hour.

/** How long the server may take to accept a connection. */
export const CONNECT_MS = 2_000
/** How long it may take to begin an answer. */
export const ANSWER_MS = 5_000
/** Some servers join the parts of a large object before they answer. */
export const JOIN_MS = 120_000
/** The slowest line that an upload is given time for. */
const BYTES_PER_MS = 100

/** The time limit of a request with this body. */
export function timeToSend({ length }: Uint8Array): { requestTimeout: number } {
  return { requestTimeout: ANSWER_MS + Math.ceil(length / BYTES_PER_MS) }
}

const UNAVAILABLE =
  /^(TimeoutError|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT)$/

/** Throws an error as what it means for a caller who can wait or ask elsewhere. */
export function throwIfUnavailable(error: unknown): never {
  const { name = '', code = '' } = error as { name?: string; code?: string }
  throw UNAVAILABLE.test(name) || UNAVAILABLE.test(code) ? new StoreUnavailable(error) : error
}

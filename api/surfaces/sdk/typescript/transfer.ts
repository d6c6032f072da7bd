import { CoinopError, ConnectionError } from './errors.ts'
import { backOff, sleep } from './send.ts'

export interface Transfers {
  fetch: typeof fetch
  maxRetries: number
  signal: AbortSignal | undefined
}

/** Sends or loads a file, and begins again if that breaks off: nothing is done or charged by it. */
export async function transfer<Result>(
  run: () => Promise<Result>,
  { maxRetries, signal }: Omit<Transfers, 'fetch'>,
): Promise<Result> {
  for (let failed = 0; ; failed++) {
    try {
      return await run()
    } catch (cause) {
      signal?.throwIfAborted()
      const error = toFailure(cause)
      const waitMs = failed < maxRetries && mayPass(error) ? backOff(error, failed) : undefined
      if (waitMs === undefined) throw error
      await sleep(waitMs, signal)
    }
  }
}

/** `fetch` and the bodies that it gives tell of broken connections by a TypeError. */
function toFailure(cause: unknown): CoinopError {
  if (cause instanceof CoinopError) return cause
  if (!(cause instanceof TypeError)) throw cause
  return new ConnectionError('The transfer of a file has broken off.', cause)
}

function mayPass({ status, code }: CoinopError): boolean {
  return (status === 0 && code === 'CONNECTION_FAILED') || status === 429 || status >= 500
}

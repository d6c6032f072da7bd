import type { Problem } from '#kit'
import { trace } from '../../tracing/trace.ts'
import { Circuit } from './circuit.ts'
import { countCall } from './counts.ts'

interface SdkOptions<Loaded> {
  /** By which it is known in traces and metrics. */
  provider: string
  /** Imports the SDK and opens its client. */
  load(): Promise<Loaded>
  explain(error: unknown): Problem
  unavailable(hints: Record<string, unknown>): Problem
}

interface SdkLimits {
  signal: AbortSignal
  timeoutMs: number
}

/**
 * Calls of a provider through its own SDK, which stop for a while when it fails. The SDK is loaded at the first call, so
 * that other installations do not pay for it.
 */
export function openSdkCalls<Loaded>({ provider, load, explain, unavailable }: SdkOptions<Loaded>) {
  const circuit = new Circuit()
  let loading: Promise<Loaded> | undefined

  /** A failure, such as no file left to open, may pass. */
  function loadOnce(): Promise<Loaded> {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }

  return async function call<Answer>(
    { signal, timeoutMs }: SdkLimits,
    send: (loaded: Loaded, options: { abortSignal: AbortSignal }) => Promise<Answer>,
  ): Promise<Answer> {
    if (!circuit.isClosed()) throw unavailable({ retryAfterSeconds: circuit.retryAfterSeconds() })
    if (timeoutMs <= 0) throw unavailable({ reason: 'no time is left' })
    const loaded = await loadOnce()
    try {
      const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(timeoutMs))])
      const answer = await trace(`provider ${provider}`, undefined, () => send(loaded, { abortSignal }), 'client')
      circuit.succeeded()
      countCall(provider, 'ok')
      return answer
    } catch (error) {
      signal.throwIfAborted()
      const problem = explain(error)
      if (problem.code === 'PROVIDER_UNAVAILABLE') circuit.failed()
      else circuit.succeeded()
      countCall(provider, problem.code === 'PROVIDER_UNAVAILABLE' ? 'failed' : 'refused')
      throw problem
    }
  }
}

import { Problem } from '#kit'
import type { CallLimits } from '../call-limits.ts'
import { openProviderClient, type ProviderRefusal } from '../http/client.ts'
import { callUntilDeadline } from '../http/until-deadline.ts'
import type { LanguageModelConfig } from './settings.ts'

const ATTEMPT_MS = 60_000
const MAX_BYTES = 4 * 2 ** 20

/** Posts to the provider that the operator named, and gives its answer. */
type Poster = (path: string, body: object, limits: CallLimits) => Promise<unknown>

export function openPoster(
  { provider, url: baseUrl }: Pick<LanguageModelConfig, 'provider' | 'url'>,
  headers: Record<string, string>,
): Poster {
  const client = openProviderClient({ provider, baseUrl, headers, maxBytes: MAX_BYTES })
  return (path, json, limits) =>
    callUntilDeadline(client, { path, json }, limits, { capability: 'llm', attemptMs: ATTEMPT_MS })
}

export function unavailable(hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { capability: 'llm', ...hints })
}

/** What the provider said; it is for the adapter, never for callers. */
export function readRefusal({ body }: ProviderRefusal): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

const TOO_LONG = /context.{0,20}(length|window)|maximum context|too (long|many tokens)|prompt is too long/i

/** What a refusal means for the caller. An unknown model is for the operator to see. */
export function toProblem(refusal: ProviderRefusal): Problem {
  const { status: providerStatus } = refusal
  if (providerStatus === 413 || TOO_LONG.test(readRefusal(refusal)))
    return new Problem('CONTEXT_TOO_LONG', { providerStatus })
  return unavailable({ detail: 'the provider refuses the request', providerStatus })
}

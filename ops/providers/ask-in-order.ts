import { Problem } from '#kit'
import type { CountedCall } from './counted-call.ts'
import { computeProviderPrice } from './location/price.ts'
import type { LocationCall, LocationConfig } from './location/settings.ts'

// Decision 0164: ask location providers in order.

export type Costs = Pick<LocationConfig, 'costs' | 'markupPct'>
export type OnCall = ((call: CountedCall) => void) | undefined

interface Asked {
  call: LocationCall
  /** How many requests it takes at a provider that is paid by the request. */
  requests: number
  /** What the caller pays. */
  paidMicros: bigint
  signal: AbortSignal
}

/** After these another provider may still answer. */
const PASSING = ['PROVIDER_UNAVAILABLE', 'OPTION_UNSUPPORTED', 'MODE_UNSUPPORTED']

/**
 * Asks the first provider, and the next where that is unavailable or cannot do what was asked. The price is that of the
 * first, so the others are asked only if they cost no more; a matrix has a price of its own, which every provider has to
 * fit. If none answers, the problem is that of the first.
 */
export async function askInOrder<Provider extends { id: string }, Answer>(
  providers: readonly Provider[],
  config: Costs,
  asked: Asked,
  ask: (provider: Provider) => Promise<Answer>,
): Promise<Answer> {
  const { call, signal } = asked
  let first: unknown
  for (const provider of listAffordable(providers, config, asked)) {
    try {
      return await ask(provider)
    } catch (error) {
      if (signal.aborted) throw describeDelay(provider.id)
      if (!(error instanceof Problem) || !PASSING.includes(error.code)) throw error
      first ??= error
    }
  }
  const reason = 'a provider would ask more than the call costs'
  throw first ?? new Problem('OPTION_UNSUPPORTED', { option: call, reason })
}

function listAffordable<Provider extends { id: string }>(
  providers: readonly Provider[],
  config: Costs,
  { call, requests, paidMicros }: Asked,
): Provider[] {
  const fits = ({ id }: Provider) => computeProviderPrice(config, `${id}.${call}`, requests) <= paidMicros
  return providers.filter((provider, index) => (index === 0 && call !== 'matrix') || fits(provider))
}

/** Counts a request to a provider that is not our own. */
export async function countCall<Answer>(
  onCall: OnCall,
  { provider, call, costMicros }: { provider: string; call: LocationCall; costMicros: number },
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const count = (isOk: boolean) =>
    onCall?.({ provider, model: call, isOk, inputTokens: 0, outputTokens: 0, costMicros: isOk ? costMicros : 0 })
  try {
    const answer = await ask()
    count(true)
    return answer
  } catch (error) {
    count(false)
    throw error
  }
}

function describeDelay(provider: string): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { provider, reason: 'no complete answer in time' })
}

import type { LocationConfig } from './settings.ts'

/** What a call has to cost, so that it pays for so many requests to a provider. */
export function computeProviderPrice(
  { costs, markupPct }: Pick<LocationConfig, 'costs' | 'markupPct'>,
  name: string,
  requests = 1,
): bigint {
  return BigInt(Math.ceil((costs.get(name) ?? 0) * requests * (1 + markupPct / 100) - 1e-6))
}

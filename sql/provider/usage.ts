import type { CountedCall } from '../../ops/providers/counted-call.ts'
import { type Db, rows, value } from '../db.ts'

interface ProviderUsage {
  /** In UTC. */
  day: string
  provider: string
  model: string
  calls: bigint
  failed: bigint
  input_tokens: bigint
  output_tokens: bigint
  cost_micros: bigint
}

export async function countProviderCall(db: Db, call: CountedCall): Promise<void> {
  const { provider, model, isOk, inputTokens, outputTokens, costMicros } = call
  await value(db, 'select provider.count($1, $2, $3, $4, $5, $6)', [
    ...[provider, model, isOk, inputTokens, outputTokens, costMicros],
  ])
}

/** What was asked of providers in the last days, today included; the newest day first. */
export function readProviderUsage(db: Db, days: number): Promise<ProviderUsage[]> {
  return rows(db, 'select * from provider.usage($1)', [days])
}

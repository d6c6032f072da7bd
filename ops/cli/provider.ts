import { formatUsd } from '#kit'
import { readProviderUsage } from '../../sql/provider/usage.ts'
import { formatTable, parseCount } from './print.ts'
import type { Runs } from './verb.ts'

export const runs: Runs = {
  async usage({ db }, _args, { days }) {
    const usage = (await readProviderUsage(db, parseCount('--days', days, 30, 36_500))).map(row => ({
      ...{ day: row.day, provider: row.provider, model: row.model },
      ...{ calls: Number(row.calls), failed: Number(row.failed) },
      ...{ inputTokens: Number(row.input_tokens), outputTokens: Number(row.output_tokens) },
      costMicros: String(row.cost_micros),
    }))
    const lines = usage.map(({ costMicros, ...facts }) => [...Object.values(facts), formatUsd(BigInt(costMicros))])
    const head = ['day', 'provider', 'model', 'calls', 'failed', 'input', 'output', 'cost in USD']
    return { data: usage, text: formatTable(head, lines) }
  },
}

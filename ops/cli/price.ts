import { formatUsd, usd } from '#kit'
import { writePrice } from '../../sql/setting.ts'
import { loadOperation, operationNames } from '../../tasks/index.ts'
import { type Runs, UsageError } from './verb.ts'

export const runs: Runs = {
  async set({ db }, [name, amount]) {
    if (!operationNames().includes(name!)) throw new UsageError(`There is no operation ${name}.`)
    const { price } = await loadOperation(name!)
    const rate = amount === 'default' ? null : usd(amount!)
    await writePrice(db, name!, rate)
    const current = rate ?? price.rateMicros
    const variants = (price.variants ?? []).map(({ when, factor, unit = price.unit }) => {
      return `, ${formatUsd(current * BigInt(factor))} USD per ${unit} if ${when}`
    })
    return {
      data: { operation: name, unit: price.unit, rateMicros: current },
      text: `${name} costs ${formatUsd(current)} USD per ${price.unit}${variants.join('')}`,
    }
  },
}

import { formatUsd, usd } from '#kit'
import { writePrice } from '../../sql/setting.ts'
import { loadOperation, operationNames } from '../../tasks/index.ts'
import { Mistake, type Verbs } from './verb.ts'

export const verbs: Verbs = {
  set: {
    args: ['<operation>', '<usd>'],
    summary: 'Set what one unit of an operation costs; `default` puts the declared price back.',
    async run({ db }, [name, amount]) {
      if (!operationNames().includes(name!)) throw new Mistake(`There is no operation ${name}.`)
      const { price } = await loadOperation(name!)
      const rate = amount === 'default' ? null : usd(amount!)
      await writePrice(db, name!, rate)
      const now = rate ?? price.rateMicros
      return {
        data: { operation: name, unit: price.unit, rateMicros: now },
        text: `${name} costs ${formatUsd(now)} USD a ${price.unit}`,
      }
    },
  },
}

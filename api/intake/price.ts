import { amountOf, PRICE_FLOOR } from '#kit'
import type { Settings } from '../../sql/setting.ts'
import type { NamedOperation } from '../../tasks/index.ts'
import { readyInput } from './ready-input.ts'

/** What the intake holds: the exact price where the body says it, else the floor, until the worker has probed. */
export interface Hold {
  amountMicros: bigint
  units: number
  isExact: boolean
  /** The operator's price of a unit, where there is one. */
  rateMicros: bigint | undefined
}

export function holdOf(operation: NamedOperation, input: unknown, settings: Settings): Hold {
  const { price } = operation
  const rateMicros = settings.rateOf(operation.name)
  if (price.basis === 'content') return { amountMicros: PRICE_FLOOR, units: 0, isExact: false, rateMicros }
  const units = price.units(readyInput(operation.input, input) as never)
  return { amountMicros: amountOf(price, units, rateMicros), units, isExact: true, rateMicros }
}

import { Problem } from '#kit'
import type { SeededRandom } from '../../formats/random/seeded.ts'
import type { Schema } from './schema-parts.ts'

const SPAN = 1000
const ROUNDING = 1e-9
const MAX_DECIMALS = 15

/** Prepares numbers within the limits of a JSON Schema: multiples of a unit, and of one hundredth where there is none. */
export function compileNumber(schema: Schema, isInteger: boolean, random: SeededRandom, path: string): () => number {
  const { exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const unit = isInteger ? joinUnits(multipleOf) : (multipleOf ?? 0.01)
  const [from, to] = findLimits(schema)
  let first = Math.ceil(from / unit - ROUNDING)
  let last = Math.floor(to / unit + ROUNDING)
  if (first * unit === exclusiveMinimum) first += 1
  if (last * unit === exclusiveMaximum) last -= 1
  if (last >= first && last - first < Number.MAX_SAFE_INTEGER) {
    const decimals = countDecimals(unit)
    return () => Number((random.integer(first, last) * unit).toFixed(decimals))
  }
  const isOpen = !isInteger && multipleOf === undefined && to > from
  if (!isOpen) throw new Problem('SCHEMA_INVALID', { path, reason: 'no number is within these limits' })
  return () => from + (0.001 + 0.998 * random.next()) * (to - from)
}

function joinUnits(multipleOf = 1): number {
  return Number.isInteger(multipleOf) ? multipleOf : multipleOf * 10 ** countDecimals(multipleOf)
}

function findLimits(schema: Schema): [from: number, to: number] {
  const low = Math.max(schema.minimum ?? -Infinity, schema.exclusiveMinimum ?? -Infinity)
  const high = Math.min(schema.maximum ?? Infinity, schema.exclusiveMaximum ?? Infinity)
  const from = Number.isFinite(low) ? low : Math.min(0, Number.isFinite(high) ? high - SPAN : 0)
  return [from, Number.isFinite(high) ? high : from + SPAN]
}

function countDecimals(unit: number): number {
  const [digits, exponent = '0'] = String(unit).split('e-') as [string, string?]
  return Math.min(MAX_DECIMALS, (digits.split('.')[1]?.length ?? 0) + Number(exponent))
}

import { type Price, usd } from '#kit'

const STEP = 10_000

interface RowCounts {
  rows: number
  relations?: readonly { rows?: number; perRow?: { max: number } }[]
}

/** The most rows that a call can make. */
export function countRows({ rows, relations = [] }: RowCounts): number {
  return relations.reduce((sum, { rows: own, perRow }) => sum + (own ?? rows * (perRow?.max ?? 0)), rows)
}

export function countSteps(rows: number): number {
  return Math.max(1, Math.ceil(rows / STEP))
}

/** A base, and as much again for each started ten thousand rows. */
export const ROW_PRICE: Price<RowCounts> = {
  unit: 'started 10,000 rows',
  rateMicros: usd('0.001'),
  baseMicros: usd('0.001'),
  basis: 'body',
  minUnits: 1,
  maxUnits: 100,
  units: input => Math.min(100, countSteps(countRows(input))),
}

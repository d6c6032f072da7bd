import { type Goal, isMet, type Pace, type Reading, ratioOf } from './figure.ts'
import type { MachineFacts } from './machine.ts'

export interface Result {
  id: string
  title: string
  readings: Reading[]
  /** Why there is no reading. */
  failure?: string
}

export interface Report {
  machine: MachineFacts
  pace: Pace
  seconds: number
  results: Result[]
}

export function asJson({ results, ...rest }: Report): string {
  const told = results.map(result => ({
    ...result,
    readings: result.readings.map(reading => ({ ...reading, ratio: ratioOf(reading), isMet: isMet(reading) })),
  }))
  return JSON.stringify({ ...rest, results: told }, null, 2)
}

const HEAD = ['', 'figure', 'ours', 'floor', 'ratio', 'goal', 'met']
/** Words to the left, numbers to the right. */
const LEFT = new Set([0, 1, 5, 6])

export function asTable({ machine, seconds, results }: Report): string {
  const rows = results.flatMap(result => rowsOf(result))
  const widths = HEAD.map((title, column) => Math.max(title.length, ...rows.map(({ cells }) => cells[column]!.length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (LEFT.has(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
  const indent = ' '.repeat(widths[0]! + 2)
  const body = rows.flatMap(({ cells, note }) => [line(cells).trimEnd(), `${indent}${note}`])
  const { cores, model, node, generator, loadAtStart } = machine
  const about = `${cores} cores of ${model}, Node ${node}, ${generator}; load ${loadAtStart.toFixed(1)} at the start; ${seconds} s`
  return [about, '', line(HEAD).trimEnd(), ...body].join('\n')
}

function rowsOf({ id, title, readings, failure }: Result): { cells: string[]; note: string }[] {
  if (failure) return [{ cells: [id, title, '-', '-', '-', '-', 'no'], note: failure.split('\n')[0]! }]
  return readings.map((reading, index) => ({ cells: cellsOf(index === 0 ? id : '', reading), note: reading.limit }))
}

function cellsOf(id: string, reading: Reading): string[] {
  const { of, unit, ours, floor, goal, judged } = reading
  const ratio = judged === 'ratio' ? ratioOf(reading).toFixed(2) : '-'
  const goalUnit = judged === 'ours' ? ` ${unit}` : ''
  return [
    id,
    `${of} (${unit})`,
    amount(ours),
    amount(floor),
    ratio,
    inWords(goal) + goalUnit,
    isMet(reading) ? 'yes' : 'no',
  ]
}

function inWords(goal: Goal): string {
  return 'atLeast' in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`
}

/** Three digits that count, and no more decimals than that takes. */
function amount(value: number): string {
  if (!Number.isFinite(value)) return '-'
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3)
}

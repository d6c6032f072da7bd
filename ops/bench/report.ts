import { type BenchProfile, type Goal, isMet, type Reading, ratioOf } from './figure.ts'
import type { MachineFacts } from './machine.ts'

export interface Result {
  id: string
  title: string
  readings: Reading[]
  /** The reason why there is no reading. */
  failure?: string
}

export interface Report {
  machine: MachineFacts
  profile: BenchProfile
  seconds: number
  results: Result[]
}

export function formatJson({ results, ...rest }: Report): string {
  const judgedResults = results.map(result => ({
    ...result,
    readings: result.readings.map(reading => ({ ...reading, ratio: ratioOf(reading), isMet: isMet(reading) })),
  }))
  return JSON.stringify({ ...rest, results: judgedResults }, null, 2)
}

const COLUMNS = ['', 'figure', 'ours', 'floor', 'ratio', 'goal', 'met']
/** Text columns are aligned left, numbers right. */
const LEFT_ALIGNED = new Set([0, 1, 5, 6])

export function formatTable({ machine, seconds, results }: Report): string {
  const rows = results.flatMap(result => buildRows(result))
  const widths = COLUMNS.map((title, column) =>
    Math.max(title.length, ...rows.map(({ cells }) => cells[column]!.length)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (LEFT_ALIGNED.has(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
  const indent = ' '.repeat(widths[0]! + 2)
  const body = rows.flatMap(({ cells, note }) => [line(cells).trimEnd(), `${indent}${note}`])
  const { cores, model, node, generator, loadAtStart } = machine
  const about = `${cores} cores of ${model}, Node ${node}, ${generator}; load ${loadAtStart.toFixed(1)} at the start; ${seconds} s`
  return [about, '', line(COLUMNS).trimEnd(), ...body].join('\n')
}

function buildRows({ id, title, readings, failure }: Result): { cells: string[]; note: string }[] {
  if (failure) return [{ cells: [id, title, '-', '-', '-', '-', 'no'], note: failure.split('\n')[0]! }]
  return readings.map((reading, index) => ({
    cells: buildCells(index === 0 ? id : '', reading),
    note: reading.limitedBy,
  }))
}

function buildCells(id: string, reading: Reading): string[] {
  const { label, unit, ours, floor, goal, judgedBy } = reading
  const ratio = judgedBy === 'ratio' ? ratioOf(reading).toFixed(2) : '-'
  const goalUnit = judgedBy === 'ours' ? ` ${unit}` : ''
  return [
    id,
    `${label} (${unit})`,
    formatAmount(ours),
    formatAmount(floor),
    ratio,
    formatGoal(goal) + goalUnit,
    isMet(reading) ? 'yes' : 'no',
  ]
}

function formatGoal(goal: Goal): string {
  return 'atLeast' in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`
}

/** Three significant digits. */
function formatAmount(value: number): string {
  if (!Number.isFinite(value)) return '-'
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3)
}

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Call, Reply } from './ask.ts'
import type { Failure, Verdict } from './judge.ts'

interface OperationTally {
  calls: number
  done: number
  refused: number
  absent: number
  failed: number
  warned: number
  slowestMs: number
  slowest: string
}

const COLUMNS = ['operation', 'calls', 'done', 'refused', 'absent', 'warnings', 'failed', 'slowest']

/** The results of a run: a table with one line per operation, and a file with one line of JSON per failure. */
export class Report {
  readonly #tallies = new Map<string, OperationTally>()
  readonly #path: string
  readonly #kinds = new Map<string, number>()
  readonly #codes = new Map<string, number>()

  constructor(path: string) {
    this.#path = path
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
  }

  get failures(): number {
    return [...this.#kinds.values()].reduce((sum, count) => sum + count, 0)
  }

  add({ operation, sample, body }: Call, { status, code, ms, answer }: Reply, { failures, warnings }: Verdict): void {
    const tally = this.#tallyOf(operation.name)
    tally.calls++
    if (status === 200) tally.done++
    else if (status === 503) tally.absent++
    else tally.refused++
    if (code) this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1)
    if (failures.length > 0) tally.failed++
    if (warnings.length > 0) tally.warned++
    if (ms > tally.slowestMs) Object.assign(tally, { slowestMs: ms, slowest: sample.name })
    const context = { operation: operation.name, sample: sample.name, example: body.title, gap: body.gap.join('.') }
    for (const failure of failures)
      this.#write({ ...context, ms: Math.round(ms), status, code, answer: abbreviate(answer) }, failure)
  }

  /** Reports something that the run as a whole has left behind. */
  addLeftover(detail: string): void {
    this.#write({ operation: '-', sample: '-' }, { kind: 'left over' as Failure['kind'], detail })
  }

  table(): string {
    const rows = [...this.#tallies]
      .sort(([left], [right]) => left.localeCompare(right))
      .map(([name, { calls, done, refused, absent, warned, failed, slowestMs, slowest }]) => {
        const time = `${(slowestMs / 1000).toFixed(1)} s ${slowest}`
        return [name, calls, done, refused, absent, warned, failed, time].map(String)
      })
    const widths = COLUMNS.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]!.length)))
    return [COLUMNS, ...rows]
      .map(row =>
        row
          .map((cell, column) => padCell(cell, widths[column]!, column))
          .join('  ')
          .trimEnd(),
      )
      .join('\n')
  }

  summary(): string {
    const formatCounts = (counts: ReadonlyMap<string, number>) =>
      [...counts]
        .sort(([, left], [, right]) => right - left)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ') || 'none'
    return `problems: ${formatCounts(this.#codes)}\nfailures: ${formatCounts(this.#kinds)}${this.failures > 0 ? `; see ${this.#path}` : ''}`
  }

  #tallyOf(name: string): OperationTally {
    const tally = this.#tallies.get(name) ?? {
      ...{ calls: 0, done: 0, refused: 0, absent: 0, failed: 0, warned: 0, slowestMs: 0, slowest: '' },
    }
    this.#tallies.set(name, tally)
    return tally
  }

  #write(context: object, { kind, detail }: Failure): void {
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1)
    appendFileSync(this.#path, `${JSON.stringify({ kind, detail, ...context })}\n`)
  }
}

function padCell(cell: string, width: number, column: number): string {
  const isNumber = column > 0 && column < COLUMNS.length - 1
  return isNumber ? cell.padStart(width) : cell.padEnd(width)
}

function abbreviate(answer: unknown): string {
  return (JSON.stringify(answer) ?? '').slice(0, 300)
}

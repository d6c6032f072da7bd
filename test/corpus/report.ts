import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Call, Reply } from './ask.ts'
import type { Failure, Verdict } from './judge.ts'

interface Line {
  calls: number
  done: number
  refused: number
  absent: number
  failed: number
  remarked: number
  slowestMs: number
  slowest: string
}

const COLUMNS = ['operation', 'calls', 'done', 'refused', 'absent', 'remarks', 'failed', 'slowest']

/** What a run has found: a line an operation for the eye, and a line of JSON for every failure. */
export class Report {
  readonly #lines = new Map<string, Line>()
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

  add({ operation, sample, body }: Call, { status, code, ms, answer }: Reply, { failures, remarks }: Verdict): void {
    const line = this.#lineOf(operation.name)
    line.calls++
    if (status === 200) line.done++
    else if (status === 503) line.absent++
    else line.refused++
    if (code) this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1)
    if (failures.length > 0) line.failed++
    if (remarks.length > 0) line.remarked++
    if (ms > line.slowestMs) Object.assign(line, { slowestMs: ms, slowest: sample.name })
    const about = { operation: operation.name, sample: sample.name, example: body.title, gap: body.gap.join('.') }
    for (const failure of failures)
      this.#write({ ...about, ms: Math.round(ms), status, code, answer: short(answer) }, failure)
  }

  /** Something the run as a whole has left behind. */
  note(detail: string): void {
    this.#write({ operation: '-', sample: '-' }, { kind: 'left over' as Failure['kind'], detail })
  }

  table(): string {
    const rows = [...this.#lines]
      .sort(([left], [right]) => left.localeCompare(right))
      .map(([name, { calls, done, refused, absent, remarked, failed, slowestMs, slowest }]) => {
        const time = `${(slowestMs / 1000).toFixed(1)} s ${slowest}`
        return [name, calls, done, refused, absent, remarked, failed, time].map(String)
      })
    const widths = COLUMNS.map((title, at) => Math.max(title.length, ...rows.map(row => row[at]!.length)))
    return [COLUMNS, ...rows]
      .map(row =>
        row
          .map((cell, at) => padded(cell, widths[at]!, at))
          .join('  ')
          .trimEnd(),
      )
      .join('\n')
  }

  summary(): string {
    const counted = (counts: ReadonlyMap<string, number>) =>
      [...counts]
        .sort(([, left], [, right]) => right - left)
        .map(([word, count]) => `${count} ${word}`)
        .join(', ') || 'none'
    return `refusals: ${counted(this.#codes)}\nfailures: ${counted(this.#kinds)}${this.failures > 0 ? `; see ${this.#path}` : ''}`
  }

  #lineOf(name: string): Line {
    const line = this.#lines.get(name) ?? {
      ...{ calls: 0, done: 0, refused: 0, absent: 0, failed: 0, remarked: 0, slowestMs: 0, slowest: '' },
    }
    this.#lines.set(name, line)
    return line
  }

  #write(about: object, { kind, detail }: Failure): void {
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1)
    appendFileSync(this.#path, `${JSON.stringify({ kind, detail, ...about })}\n`)
  }
}

function padded(cell: string, width: number, column: number): string {
  const isNumber = column > 0 && column < COLUMNS.length - 1
  return isNumber ? cell.padStart(width) : cell.padEnd(width)
}

function short(answer: unknown): string {
  return (JSON.stringify(answer) ?? '').slice(0, 300)
}

import { type Rows, textAt } from './rows-shape.ts'

export interface KeyManner {
  caseInsensitive: boolean
  trim: boolean
  normalizeUnicode: boolean
}

/** What two rows must have in common to be the same. A missing cell is not an empty one. */
export function keyReader(
  columns: readonly number[],
  { caseInsensitive, trim, normalizeUnicode }: KeyManner,
): (rows: Rows) => string {
  const plain = (text: string) => {
    let key = trim ? text.trim() : text
    if (normalizeUnicode) key = key.normalize('NFC')
    return caseInsensitive ? key.toLowerCase() : key
  }
  return rows => {
    let key = ''
    for (const column of columns) {
      const text = textAt(rows, column)
      key += text === undefined ? '\0\u0001' : `\0${plain(text)}`
    }
    return key
  }
}

/** Which row of each group stays. Groups are numbers, so that millions of rows are a few megabytes. */
export class Winners {
  private readonly keep: 'first' | 'last' | 'none' | 'most-complete'
  private readonly numbers = new Map<string, number>()
  private readonly winner: number[] = []
  private readonly sizes: number[] = []
  private readonly filled: number[] = []
  rows = 0

  constructor(keep: Winners['keep']) {
    this.keep = keep
  }

  add(key: string, rows: Rows): void {
    const group = this.numbers.get(key) ?? this.numbers.size
    const isNew = group === this.sizes.length
    if (isNew) {
      this.numbers.set(key, group)
      this.sizes.push(0)
    }
    this.sizes[group]!++
    this.choose(group, isNew, rows)
    this.rows++
  }

  private choose(group: number, isNew: boolean, rows: Rows): void {
    if (this.keep === 'most-complete') {
      const filled = rows.columns.reduce((sum, _, column) => sum + (textAt(rows, column) ? 1 : 0), 0)
      if (!isNew && filled <= this.filled[group]!) return
      this.filled[group] = filled
    } else if (!isNew && this.keep === 'first') return
    this.winner[group] = this.rows
  }

  /** One for every row: 1 where it stays. */
  verdicts(): Uint8Array {
    const kept = new Uint8Array(this.rows)
    for (const [group, row] of this.winner.entries()) {
      if (this.keep !== 'none' || this.sizes[group] === 1) kept[row] = 1
    }
    return kept
  }

  groups(): number {
    return this.sizes.filter(size => size > 1).length
  }
}

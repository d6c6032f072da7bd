import { type Rows, readCell } from './rows.ts'

interface KeyOptions {
  caseInsensitive: boolean
  trim: boolean
  collapseSpaces?: boolean
  normalizeUnicode: boolean
}

/** Reads the key by which two rows count as duplicates. A missing cell differs from an empty one. */
export function createKeyReader(
  columns: readonly number[],
  { caseInsensitive, trim, collapseSpaces, normalizeUnicode }: KeyOptions,
): (rows: Rows) => string {
  const plain = (text: string) => {
    let key = trim ? text.trim() : text
    if (collapseSpaces) key = key.replaceAll(/\s+/g, ' ')
    if (normalizeUnicode) key = key.normalize('NFC')
    return caseInsensitive ? key.toLowerCase() : key
  }
  return rows => {
    let key = ''
    for (const column of columns) {
      const text = readCell(rows, column)
      key += text === undefined ? '\0\u0001' : `\0${plain(text)}`
    }
    return key
  }
}

type KeptRow = 'first' | 'last' | 'none' | 'most-complete'

/** Decides which row of each group of duplicates stays. Groups are numbers, so millions of rows take few megabytes. */
export class DuplicateFilter {
  readonly #keep: KeptRow
  readonly #groupsByKey = new Map<string, number>()
  readonly #keptRows: number[] = []
  readonly #groupSizes: number[] = []
  readonly #filledCells: number[] = []
  rows = 0

  constructor(keep: KeptRow) {
    this.#keep = keep
  }

  add(key: string, rows: Rows): void {
    const group = this.#groupsByKey.get(key) ?? this.#groupsByKey.size
    const isNew = group === this.#groupSizes.length
    if (isNew) {
      this.#groupsByKey.set(key, group)
      this.#groupSizes.push(0)
    }
    this.#groupSizes[group]!++
    this.#chooseRow(group, isNew, rows)
    this.rows++
  }

  #chooseRow(group: number, isNew: boolean, rows: Rows): void {
    if (this.#keep === 'most-complete') {
      const filled = rows.columns.reduce((sum, _, column) => sum + (readCell(rows, column) ? 1 : 0), 0)
      if (!isNew && filled <= this.#filledCells[group]!) return
      this.#filledCells[group] = filled
    } else if (!isNew && this.#keep === 'first') return
    this.#keptRows[group] = this.rows
  }

  /** One flag per row: 1 if the row stays. */
  keptFlags(): Uint8Array {
    const kept = new Uint8Array(this.rows)
    for (const [group, row] of this.#keptRows.entries()) {
      if (this.#keep !== 'none' || this.#groupSizes[group] === 1) kept[row] = 1
    }
    return kept
  }

  countDuplicateGroups(): number {
    return this.#groupSizes.filter(size => size > 1).length
  }
}

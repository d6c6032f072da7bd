import type { TextRun } from './spans.ts'
import { toKey } from './structure.ts'
import type { Table } from './tables.ts'

/**
 * Divides the lines of a table row among the cells that its tags name. Only the page knows spaces at the ends of lines,
 * styles and links, so the tags are told as they are only where the page does not show them in this order.
 */
export function divideIntoCells(
  lines: readonly (readonly TextRun[])[],
  cells: readonly string[],
): Table['rows'][number] {
  const missing = cells.map(toKey)
  const divided: { runs: TextRun[] }[][] = cells.map(() => [])
  for (const line of lines) {
    let rest = [...line]
    for (const [index, key] of missing.entries()) {
      const length = commonLength(keyOf(rest), key)
      if (length === 0) continue
      const [runs, after] = splitRuns(rest, length)
      divided[index]!.push({ runs })
      missing[index] = key.slice(length)
      rest = after
    }
  }
  return missing.every(key => key === '') ? divided : cells.map(text => (text === '' ? [] : [plainCell(text)]))
}

function plainCell(text: string): { runs: TextRun[] } {
  return { runs: [{ text, bold: false, italic: false }] }
}

function keyOf(runs: readonly TextRun[]): string {
  return toKey(runs.map(({ text }) => text).join(''))
}

function commonLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

/** Splits after as many characters of the key. */
function splitRuns(runs: readonly TextRun[], length: number): [before: TextRun[], after: TextRun[]] {
  const before: TextRun[] = []
  const after: TextRun[] = []
  let remaining = length
  for (const run of runs) {
    let end = 0
    for (const character of run.text) {
      if (remaining <= 0) break
      remaining -= toKey(character).length
      end += character.length
    }
    if (end > 0) before.push({ ...run, text: run.text.slice(0, end) })
    if (end < run.text.length) after.push({ ...run, text: run.text.slice(end) })
  }
  return [before, after]
}

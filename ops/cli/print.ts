import { isUuid, Problem } from '#kit'
import { UsageError } from './verb.ts'

/** Formats rows under their column names, in aligned columns. */
export function formatTable(names: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const lines = [names, ...rows].map(row => row.map(formatCell))
  const widths = names.map((_, column) => Math.max(...lines.map(line => line[column]!.length)))
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function formatFacts(record: object): string {
  return formatTable(['', ''], Object.entries(record)).trimStart()
}

export function toJson(data: unknown): string {
  return JSON.stringify(data, (_name, item: unknown) => (typeof item === 'bigint' ? item.toString() : item), 2)
}

function formatCell(cell: unknown): string {
  if (cell === null || cell === undefined) return '-'
  if (cell instanceof Date) return cell.toISOString()
  return typeof cell === 'object' ? toJson(cell).replace(/\s+/g, ' ') : String(cell)
}

export function parseId(noun: string, text: string | undefined): string {
  if (text && isUuid(text)) return text
  throw new UsageError(`"${text ?? ''}" is not the id of ${noun}.`)
}

/** Says what is not there, in place of the sentence for all. */
export function explainMissing(sentence: string): (error: unknown) => never {
  return error => {
    throw error instanceof Problem && error.code === 'NOT_FOUND' ? new UsageError(sentence) : error
  }
}

export function parseCount(name: string, text: string | undefined, fallback: number, most = 999_999_999): number {
  if (text === undefined) return fallback
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text)
  if (/^\d+$/.test(text)) throw new UsageError(`${name} must be ${most} at most, not ${text}.`)
  throw new UsageError(`${name} must be a whole number, not "${text}".`)
}

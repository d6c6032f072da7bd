import { isUuid } from '#kit'
import { Mistake } from './verb.ts'

/** Rows under their names, in columns that line up. */
export function table(names: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const lines = [names, ...rows].map(row => row.map(shown))
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

export function facts(record: object): string {
  return table(['', ''], Object.entries(record)).trimStart()
}

export function toJson(data: unknown): string {
  return JSON.stringify(data, (_name, item: unknown) => (typeof item === 'bigint' ? item.toString() : item), 2)
}

function shown(cell: unknown): string {
  if (cell === null || cell === undefined) return '-'
  if (cell instanceof Date) return cell.toISOString()
  return typeof cell === 'object' ? toJson(cell).replace(/\s+/g, ' ') : String(cell)
}

export function idOf(noun: string, text: string | undefined): string {
  if (text && isUuid(text)) return text
  throw new Mistake(`"${text ?? ''}" is not the id of ${noun}.`)
}

export function countOf(name: string, text: string | undefined, byDefault: number): number {
  if (text === undefined) return byDefault
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Mistake(`${name} must be a whole number, not "${text}".`)
}

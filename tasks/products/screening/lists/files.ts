import { CsvRows } from '../../../formats/tables/csv-reader.ts'
import type { ListedEntity } from '../entity.ts'
import { ListFault } from './fault.ts'
import { type XmlElement, XmlRecords } from './xml.ts'

/** The files of a list, by the names that its source declares. */
interface ListFiles {
  read(name: string): AsyncIterable<Uint8Array>
}

/** Reads the files of a source. `note` is given the time at which the publisher made them, if they have it. */
export type ListReader = (
  files: ListFiles,
  names: readonly string[],
  note: (publishedAt: string) => void,
) => AsyncIterable<ListedEntity>

const MAX_TABLE_BYTES = 96 * 2 ** 20
const MAX_LINE = 8 * 2 ** 20

async function* readText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    throw error instanceof TypeError ? new ListFault('The file is not UTF-8.') : error
  }
}

/** The elements of some names of an XML file, one by one. */
export async function* readXml(
  chunks: AsyncIterable<Uint8Array>,
  names: readonly string[],
  onStart?: (element: XmlElement) => void,
): AsyncGenerator<XmlElement> {
  const records = new XmlRecords(names, onStart)
  for await (const text of readText(chunks)) yield* records.write(text)
  records.end()
}

/** Every line of a file of JSON lines. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  let rest = ''
  for await (const text of readText(chunks)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    if (rest.length > MAX_LINE) throw new ListFault('A line of the file is too long.')
    for (const line of lines) if (line.trim() !== '') yield parseLine(line)
  }
  if (rest.trim() !== '') yield parseLine(rest)
}

function parseLine(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    throw new ListFault('A line of the file is no JSON: it is truncated or damaged.')
  }
  throw new ListFault('A line of the file is no JSON object.')
}

const RULES = { delimiter: ',', quote: '"', escape: '"', skipRows: 0, ragged: 'pad', trim: false } as const

/** The rows of a CSV without a header, each with so many cells. */
export async function* readRows(chunks: AsyncIterable<Uint8Array>, width: number): AsyncGenerator<string[]> {
  const rows = await openRows(chunks, 0)
  while (nextLine(rows)) {
    const cells = rows.readTexts().map(cell => cell.trim())
    // Some of these files end with the end mark of old systems.
    if (cells.length === 1 && cells[0] === '\x1a') continue
    if (cells.length !== width)
      throw new ListFault(`A row has ${cells.length} columns instead of ${width}: the columns have changed.`)
    yield cells
  }
}

/** The rows of a CSV with a header, as objects. Lines before the header, which has all of the columns, are given to `onTitle`. */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  required: readonly string[],
  onTitle: (line: string) => void = () => undefined,
): AsyncGenerator<Record<string, string>> {
  const rows = await openRows(chunks, 0)
  const header = findHeader(rows, required, onTitle)
  while (nextLine(rows)) {
    const cells = rows.readTexts()
    if (cells.length > header.length)
      throw new ListFault(`Line ${rows.line} has more cells than the header has columns.`)
    yield Object.fromEntries(header.map((name, at) => [name, (cells[at] ?? '').trim()]))
  }
}

const MAX_TITLE_LINES = 3

function findHeader(rows: CsvRows, required: readonly string[], onTitle: (line: string) => void): string[] {
  let missing = required
  for (let line = 0; line <= MAX_TITLE_LINES && nextLine(rows); line++) {
    const cells = rows.readTexts().map(cell => cell.trim())
    missing = required.filter(name => !cells.includes(name))
    if (missing.length === 0) return cells
    onTitle(cells.join(' '))
  }
  throw new ListFault(`The table has no columns ${missing.join(', ')}: its columns have changed.`)
}

function nextLine(rows: CsvRows): boolean {
  try {
    return rows.readLine()
  } catch (error) {
    const { hints } = error as { hints?: { line?: number; detail?: string } }
    throw hints
      ? new ListFault(`The CSV is damaged in line ${hints.line}: ${hints.detail ?? 'it cannot be read'}.`)
      : error
  }
}

async function openRows(chunks: AsyncIterable<Uint8Array>, skipRows: number): Promise<CsvRows> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > MAX_TABLE_BYTES) throw new ListFault('The table is too large.')
    parts.push(chunk)
  }
  const bytes = Buffer.concat(parts)
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return new CsvRows(bytes, hasMark ? 3 : 0, { ...RULES, skipRows }, undefined)
}

import { writeFile } from 'node:fs/promises'
import { countDecimalDigits, toPoint } from '../../../../tasks/formats/tables/number-text.ts'
import { NESTED, PLAIN, QUOTED, type Rows, readCell, SCALAR, STRING } from '../../../../tasks/formats/tables/rows.ts'
import {
  classifyScalar,
  classifyString,
  classifyText,
  DECIMAL,
  IS_TEXT,
  keepsDigits,
  unifyKinds,
} from './cell-types.ts'
import type { RawTable } from './raw-table.ts'
import { NUMERIC } from './types.ts'

interface CanonicalTable extends Required<Pick<RawTable, 'types' | 'hasValues' | 'hasBlanks' | 'texts' | 'rows'>> {
  path: string
  longestCell: number
}

interface ReadRules {
  nullValues: readonly string[]
  isLoose: boolean
  isTyped: boolean
  /** Whether a column of texts and other values stays JSON, in which they differ. */
  keepsMixed: boolean
  maxRows: number
  decimal: '.' | ','
}

const FLUSH_BYTES = 1 << 20
const [QUOTE, PLUS] = [0x22, 0x2b]

/** Collects rows of a CSV that the engine reads without any guess: every cell in quotes, and nothing for null. */
export class CanonicalWriter {
  #bytes = Buffer.allocUnsafe(FLUSH_BYTES * 2)
  #length = 0
  readonly #chunks: Buffer[] = []
  longestCell = 0

  /** Each row begins with a cell of its own, so that no row is an empty line. */
  beginRow(): void {
    if (this.#length > FLUSH_BYTES) this.#flush()
    this.#bytes[this.#length++] = 0x78
  }

  endRow(): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = 0x0a
  }

  writeNull(): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = 0x2c
  }

  /** A text of ASCII without quotes. */
  writePlain(text: string): void {
    this.#reserve(text.length + 3)
    this.#bytes[this.#length++] = 0x2c
    this.#length += this.#bytes.write(text, this.#length, 'latin1')
  }

  writeText(text: string): void {
    this.writeBytes(Buffer.from(text))
  }

  writeBytes(from: Buffer, start = 0, end = from.length): void {
    this.longestCell = Math.max(this.longestCell, end - start)
    this.#reserve((end - start) * 2 + 3)
    const bytes = this.#bytes
    let at = this.#length
    bytes[at++] = 0x2c
    bytes[at++] = QUOTE
    for (let index = start; index < end; index++) {
      const byte = from[index]!
      if (byte === QUOTE) bytes[at++] = QUOTE
      bytes[at++] = byte
    }
    bytes[at++] = QUOTE
    this.#length = at
  }

  async save(path: string): Promise<void> {
    this.#flush()
    await writeFile(path, this.#chunks)
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more + FLUSH_BYTES))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }

  #flush(): void {
    this.#chunks.push(Buffer.from(this.#bytes.subarray(0, this.#length)))
    this.#length = 0
  }
}

/** Writes rows of CSV or JSON in the form that the engine reads, and finds out the types of the columns. */
export async function writeCanonical(
  rows: Rows,
  path: string,
  { nullValues, isLoose, isTyped, keepsMixed, maxRows, decimal }: ReadRules,
): Promise<CanonicalTable> {
  const nulls = new Set(nullValues)
  const kinds = rows.columns.map(() => 0)
  const hasBlanks = rows.columns.map(() => false)
  const hasSigns = rows.columns.map(() => decimal === ',')
  const nested = isTyped ? findNested(rows, keepsMixed) : new Set<number>()
  const writer = new CanonicalWriter()
  const width = rows.columns.length
  let count = 0
  while (rows.next()) {
    if (++count > maxRows) break
    writer.beginRow()
    for (let column = 0; column < width; column++) kinds[column]! |= writeCell(column)
    writer.endRow()
  }
  await writer.save(path)
  for (const column of kinds.keys()) if (hasBlanks[column] && kinds[column] === 0) kinds[column] = IS_TEXT
  const unified = kinds.map((seen, column) => (nested.has(column) ? 'json' : unifyKinds(seen)))
  const types = unified.includes(DECIMAL) ? measureDecimals(rows, unified, { nulls, decimal, maxRows }) : unified
  const hasValues = kinds.map(seen => seen !== 0)
  const texts = types.map((type, column) => (isWrittenFreely(type, hasSigns[column]!) ? `c${column}` : undefined))
  return { path, types, hasValues, hasBlanks, texts, rows: count, longestCell: writer.longestCell }

  function writeCell(column: number): number {
    const kind = rows.kinds[column]!
    const text = readCell(rows, column)
    if (text === undefined || (kind === PLAIN && nulls.has(text))) {
      writer.writeNull()
      return 0
    }
    if (kind === PLAIN || kind === QUOTED) writer.writeBytes(rows.bytes, rows.starts[column], rows.ends[column])
    else writer.writeText(nested.has(column) ? toJson(text, kind) : text)
    hasSigns[column] ||= text.charCodeAt(0) === PLUS
    return classify(text, kind, column)
  }

  function classify(text: string, kind: number, column: number): number {
    if (text === '' && kind === QUOTED && nulls.has(text)) {
      hasBlanks[column] = true
      return 0
    }
    if (kind === NESTED) return IS_TEXT
    if (kind === SCALAR) return classifyScalar(text)
    if (kind === STRING) return classifyString(text)
    return classifyText(decimal === ',' ? toPoint(text) : text, isLoose)
  }
}

const MAY_BE_ROUNDED = /[\d.]{17}|\de[+-]?\d{3}/i

function toJson(text: string, kind: number): string {
  if (kind === STRING) return JSON.stringify(text)
  return kind === NESTED && MAY_BE_ROUNDED.test(text) ? quoteLongNumbers(text) : text
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/** The engine rounds numbers with a fraction or an exponent within objects and lists, so they become strings. */
function quoteLongNumbers(json: string): string {
  return json.replace(STRING_OR_NUMBER, part => {
    const isExact = part.startsWith('"') || !/[.e]/i.test(part) || keepsDigits(part)
    return isExact ? part : `"${part}"`
  })
}

/** Whether one value has several texts; an integer has them only with a plus or with marks of thousands. */
function isWrittenFreely(type: string, hasSigns: boolean): boolean {
  if (type === 'integer' || type === 'bigint') return hasSigns
  return type === 'datetime' || type === 'timestamptz' || NUMERIC.test(type)
}

const [HAS_NESTED, HAS_TEXT, HAS_NUMBER, HAS_BOOLEAN] = [1, 2, 4, 8] as const

/** Columns of JSON with an object or a list in any row, and those of mixed values if these are to stay apart. */
function findNested(rows: Rows, keepsMixed: boolean): Set<number> {
  const seen = rows.columns.map(() => 0)
  while (rows.next()) {
    for (let column = 0; column < seen.length; column++) seen[column]! |= nameValue(rows, column, keepsMixed)
  }
  rows.rewind()
  const isMixed = (bits: number) => (bits & (bits - 1)) !== 0
  const isNested = (bits: number) => (bits & HAS_NESTED) !== 0 || (keepsMixed && isMixed(bits))
  return new Set(seen.flatMap((bits, column) => (isNested(bits) ? [column] : [])))
}

function nameValue(rows: Rows, column: number, keepsMixed: boolean): number {
  const kind = rows.kinds[column]
  if (kind === NESTED) return HAS_NESTED
  if (!keepsMixed) return 0
  if (kind === STRING) return HAS_TEXT
  const text = kind === SCALAR ? readCell(rows, column) : undefined
  if (text === undefined) return 0
  return text === 'true' || text === 'false' ? HAS_BOOLEAN : HAS_NUMBER
}

const MAX_PRECISION = 38

/** Reads the columns of decimals once more for the digits that they need; one that needs too many is text. */
function measureDecimals(
  rows: Rows,
  types: readonly string[],
  { nulls, decimal, maxRows }: { nulls: ReadonlySet<string>; decimal: '.' | ','; maxRows: number },
): string[] {
  const columns = types.flatMap((type, column) => (type === DECIMAL ? [{ column, whole: 0, scale: 0 }] : []))
  rows.rewind()
  for (let count = 0; count < maxRows && rows.next(); count++) {
    for (const needed of columns) {
      const text = readCell(rows, needed.column)?.trim()
      if (!text || (rows.kinds[needed.column] === PLAIN && nulls.has(text))) continue
      const { whole, scale } = countDecimalDigits(decimal === ',' ? toPoint(text) : text)
      needed.whole = Math.max(needed.whole, whole)
      needed.scale = Math.max(needed.scale, scale)
    }
  }
  const measured = new Map(columns.map(({ column, whole, scale }) => [column, describeDecimal(whole, scale)]))
  return types.map((type, column) => measured.get(column) ?? type)
}

function describeDecimal(whole: number, scale: number): string {
  if (whole + scale > MAX_PRECISION) return 'string'
  return scale === 0 ? 'bigint' : `decimal(${whole + scale},${scale})`
}

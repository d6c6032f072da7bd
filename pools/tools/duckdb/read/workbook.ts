import { type ParsingOptions, read, utils, type WorkBook, type WorkSheet } from '@e965/xlsx'
import { Problem, type Warning } from '#kit'
import type { SheetOptions, SourceTable } from '../plan.ts'
import { checkArchive, checkCells, hasUncomputedFormulas } from './archive-size.ts'
import { CanonicalWriter } from './canonical.ts'
import { DECIMAL, unifyKinds } from './cell-types.ts'
import { parseParts } from './parts.ts'
import {
  checkColumnCount,
  distinctNames,
  MAX_ROWS,
  type RawTable,
  readCanonicalCsv,
  warnOfRenamed,
} from './raw-table.ts'
import { type CellRules, convertCell, type WrittenCell } from './sheet-cells.ts'

const WHOLE_SHEET: SheetOptions = {
  headerRow: 1,
  values: 'value',
  dates: 'iso',
  mergeFill: false,
  skipHidden: false,
}

/** Parsing takes far longer than anything else, so a call that reads several sheets of a file parses it once. */
let lastParsed: { file: string; sheets: string; book: WorkBook } | undefined

/** The sheets of a workbook, in their order. */
export function listSheets(bytes: Uint8Array): string[] {
  return parse(bytes, { bookSheets: true }).SheetNames
}

/** Writes a sheet in the form that the database reads. */
export async function readWorkbook(
  bytes: Uint8Array,
  { settings, sheet: options = WHOLE_SHEET }: SourceTable,
  { file, as, isShared }: { file: string; as: string; isShared: boolean },
): Promise<RawTable> {
  await checkCells(bytes, { isWhole: isShared })
  const book = await openBook(bytes, file, options, isShared ? undefined : (settings.sheet ?? 1))
  const { sheet, isEpoch1904 } = pick(book, settings.sheet ?? 1)
  const isOpenDocument = /ods$/.test(book.bookType ?? '')
  const rules = { ...options, isEpoch1904, isOpenDocument, isLoose: settings.infer === 'loose' }
  const grid = readGrid(sheet, rules)
  const writer = new CanonicalWriter()
  const kinds = grid.columns.map(() => 0)
  const warnings = new Set<string>()
  for (const row of grid.rows) {
    writer.beginRow()
    for (let column = 0; column < kinds.length; column++) {
      const cell = convertCell(row?.[grid.first + column], rules)
      writeCell(writer, cell)
      kinds[column]! |= cell?.kind ?? 0
      if (cell?.warning) warnings.add(cell.warning)
    }
    writer.endRow()
  }
  const names = distinctNames(grid.columns)
  const path = `${file}-${as.replace(/\W/g, '')}.canonical`
  await writer.save(path)
  return {
    relation: readCanonicalCsv(path, kinds.length, writer.longestCell),
    names,
    types: kinds.map(unifyKinds).map(type => (type === DECIMAL ? 'string' : type)),
    hasValues: kinds.map(seen => seen !== 0),
    isTyped: false,
    rows: grid.rows.length,
    format: 'xlsx',
    warnings: [...[...warnings].map(describeWarning), ...warnOfRenamed(grid.columns, names)],
    decimal: '.',
    sheets: book.SheetNames,
  }
}

function writeCell(writer: CanonicalWriter, cell: WrittenCell | undefined): void {
  if (cell === undefined || cell.text === undefined) writer.writeNull()
  else if (cell.isPlain) writer.writePlain(cell.text)
  else writer.writeText(cell.text)
}

const MESSAGES: Record<string, string> = {
  CELL_ERROR: 'Cells with errors such as #DIV/0! were read as empty.',
  NO_CACHED_VALUE: 'Formulas without a stored value were read as empty.',
}

function describeWarning(code: string): Warning {
  return { code, message: MESSAGES[code]! }
}

/** The parsed file, whole or with the cells of the one sheet that is wanted. */
async function openBook(
  bytes: Uint8Array,
  file: string,
  options: SheetOptions,
  wanted?: string | number,
): Promise<WorkBook> {
  const { values, skipHidden } = options
  const sheets = `${values} ${skipHidden}`
  if (wanted === undefined && lastParsed?.file === file && lastParsed.sheets === sheets) return lastParsed.book
  checkArchive(bytes)
  // The parser drops formulas without a value, unless it is to keep all empty cells.
  const sheetStubs = skipHidden || (await hasUncomputedFormulas(bytes))
  const book = parse(bytes, {
    sheetStubs,
    ...{ dense: true, cellNF: true, cellHTML: false, cellText: values === 'formatted', cellFormula: true },
    ...{ cellStyles: skipHidden, sheets: typeof wanted === 'number' ? wanted - 1 : wanted },
  })
  if (sheetStubs) for (const sheet of Object.values(book.Sheets)) dropEmptyCells(readCells(sheet))
  lastParsed = wanted === undefined ? { file, sheets, book } : undefined
  return book
}

function readCells(sheet: WorkSheet): (unknown[] | undefined)[] {
  return (sheet as unknown as { '!data'?: (unknown[] | undefined)[] })['!data'] ?? []
}

function dropEmptyCells(grid: (unknown[] | undefined)[]): void {
  for (const row of grid) {
    if (!row) continue
    for (let column = 0; column < row.length; column++) row[column] = dropEmpty(row[column])
    while (row.length > 0 && !row.at(-1)) row.pop()
  }
}

/** A formula without a value has none but what the parser made up. */
function dropEmpty(given: unknown): unknown {
  const cell = given as { t: string; f?: string; v?: unknown } | undefined
  if (cell?.t !== 'z') return given
  return cell.f === undefined ? undefined : { ...cell, v: undefined }
}

function pick(book: WorkBook, wanted: string | number): { sheet: WorkSheet; isEpoch1904: boolean } {
  const names = book.SheetNames
  const name = typeof wanted === 'number' ? names[wanted - 1] : wanted
  if (name === undefined || !names.includes(name))
    throw new Problem('SHEET_NOT_FOUND', { sheet: wanted, sheets: names.slice(0, 100) })
  const sheet = book.Sheets[name]
  if (!sheet) throw new Problem('NOT_TABULAR', { detail: 'the sheet has no cells' })
  return { sheet, isEpoch1904: book.Workbook?.WBProps?.date1904 === true }
}

function parse(bytes: Uint8Array, options: ParsingOptions): WorkBook {
  checkArchive(bytes)
  try {
    return isArchive(bytes) ? parseParts(bytes, { ...options }) : read(bytes, { type: 'array', ...options })
  } catch (error) {
    const { message } = error as Error
    if (/password|encryptedpackage/i.test(message)) throw new Problem('XLSX_ENCRYPTED')
    if (/array buffer allocation|invalid (?:array|string) length/i.test(message))
      throw new Problem('MEMORY_LIMIT_EXCEEDED')
    throw new Problem('XLSX_PARSE_FAILED', { detail: message.slice(0, 200) })
  }
}

function isArchive(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b
}

type Grid = readonly (readonly unknown[] | undefined)[]

function readGrid(sheet: WorkSheet, options: CellRules): { columns: string[]; rows: Grid; first: number } {
  const area = utils.decode_range(options.range ?? sheet['!ref'] ?? 'A1')
  if (area.e.r < area.s.r || area.e.c < area.s.c) throw new Problem('BAD_RANGE', { segment: options.range })
  const rows = takeRows(sheet, area.s.r, area.e.r, options)
  const header = options.headerRow === 0 ? undefined : rows[options.headerRow - 1]
  const count = (options.range ? area.e.c + 1 : findWidth(rows)) - area.s.c
  if (count <= 0 || (options.headerRow > 0 && !header)) {
    throw new Problem('NOT_TABULAR', { detail: rows.length === 0 ? 'the sheet is empty' : 'the sheet has no header' })
  }
  checkColumnCount(count)
  const body = rows.slice(options.headerRow)
  if (body.length > MAX_ROWS) throw new Problem('TOO_MANY_ROWS', { limit: MAX_ROWS })
  const columns = Array.from({ length: count }, (_, index) => readName(header?.[area.s.c + index], index, options))
  return { columns, rows: body, first: area.s.c }
}

/** The rows of an area, without the empty ones at its end. */
function takeRows(sheet: WorkSheet, first: number, last: number, options: SheetOptions): Grid {
  const grid = readCells(sheet)
  if (options.mergeFill) fillMerges(sheet, grid)
  const hidden = sheet['!rows'] ?? []
  const isShown = (_: unknown, index: number) => !options.skipHidden || hidden[first + index]?.hidden !== true
  const shown = Array.from(grid.slice(first, last + 1)).filter(isShown)
  const start = options.skipsBlankStart ? shown.findIndex(row => !isEmpty(row)) : 0
  const rows = shown.slice(Math.max(0, start))
  let end = rows.length
  while (end > 0 && isEmpty(rows[end - 1])) end--
  return rows.slice(0, end)
}

function isEmpty(row: readonly unknown[] | undefined): boolean {
  return !row?.some(given => {
    const cell = given as { v?: unknown; f?: string } | undefined
    return cell?.v !== undefined || cell?.f !== undefined
  })
}

function findWidth(rows: Grid): number {
  return rows.reduce((width, row) => Math.max(width, row?.length ?? 0), 0)
}

/** A day as a header is read as the cells of its column are. */
function readName(cell: unknown, index: number, rules: CellRules): string {
  const { w, v } = (cell ?? {}) as { w?: string; v?: unknown }
  const text = typeof v === 'string' ? (w ?? v) : convertCell(cell, { ...rules, values: 'value' })?.text
  return text ?? `column${index + 1}`
}

function fillMerges(sheet: WorkSheet, grid: (unknown[] | undefined)[]): void {
  for (const { s, e } of sheet['!merges'] ?? []) {
    const value = grid[s.r]?.[s.c]
    for (let row = s.r; row <= e.r && row < grid.length; row++) {
      grid[row] ??= []
      for (let column = s.c; column <= e.c; column++) grid[row]![column] = value
    }
  }
}

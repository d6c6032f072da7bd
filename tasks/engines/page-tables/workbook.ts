import { writeStoredZip } from '../../formats/archive/stored-zip.ts'
import {
  columnLetters,
  escapeXml,
  listFixedParts,
  renderStyles,
  renderWorkbook,
  STYLES,
} from '../../formats/tables/workbook-parts.ts'
import type { PageTable, PageTableCell } from './present.ts'

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

/** A workbook with a sheet for each table. Cells over several rows or columns are merged cells. */
export async function writeTableWorkbook(tables: readonly PageTable[]): Promise<Uint8Array> {
  const names = tables.map((_, index) => `Table ${index + 1}`)
  const sheets =
    tables.length > 0 ? tables.map(renderSheet) : [`${XML}<worksheet xmlns="${MAIN}"><sheetData/></worksheet>`]
  const parts: [string, string][] = [
    ...listFixedParts(sheets.length),
    ['xl/workbook.xml', renderWorkbook(names.length > 0 ? names : ['No tables'])],
    ['xl/styles.xml', renderStyles([])],
    ...sheets.map((sheet, index): [string, string] => [`xl/worksheets/sheet${index + 1}.xml`, sheet]),
  ]
  const members = parts.map(([name, content]) => {
    const bytes = Buffer.from(content)
    return { name, sizeBytes: bytes.length, read: async () => iterate(bytes) }
  })
  return Buffer.concat(await Array.fromAsync(writeStoredZip(members)))
}

async function* iterate(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function renderSheet({ rows, headerRows, cells }: PageTable): string {
  const lines = Array.from({ length: rows }, (_, r) => {
    const row = cells.filter(cell => cell.r === r).map(cell => renderCell(cell, r < headerRows))
    return `<row r="${r + 1}">${row.join('')}</row>`
  })
  const merged = cells.filter(({ rowSpan, colSpan }) => rowSpan * colSpan > 1)
  const ranges = merged.map(({ r, c, rowSpan, colSpan }) => {
    return `<mergeCell ref="${nameCell(r, c)}:${nameCell(r + rowSpan - 1, c + colSpan - 1)}"/>`
  })
  const merges = ranges.length > 0 ? `<mergeCells count="${ranges.length}">${ranges.join('')}</mergeCells>` : ''
  return `${XML}<worksheet xmlns="${MAIN}"><sheetData>${lines.join('')}</sheetData>${merges}</worksheet>`
}

function renderCell({ r, c, text, number }: PageTableCell, isHeader: boolean): string {
  const style = isHeader ? ` s="${STYLES.header}"` : ''
  if (number !== undefined) return `<c r="${nameCell(r, c)}"${style}><v>${number}</v></c>`
  if (text === '') return ''
  return `<c r="${nameCell(r, c)}"${style} t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`
}

function nameCell(r: number, c: number): string {
  return `${columnLetters(c)}${r + 1}`
}

import { escapeXml } from '../../formats/tables/workbook-parts.ts'
import type { PageTable, PageTableCell } from './present.ts'

/** The texts by row and column; the places that a cell covers beside its first are empty. */
function listRows({ rows, cols, cells }: PageTable): string[][] {
  const grid = Array.from({ length: rows }, () => Array.from({ length: cols }, () => ''))
  for (const { r, c, text, number } of cells) grid[r]![c] = number === undefined ? text : String(number)
  return grid
}

export function renderCsv(table: PageTable): string {
  const quote = (text: string) => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return listRows(table)
    .map(row => `${row.length === 1 && row[0] === '' ? '""' : row.map(quote).join(',')}\n`)
    .join('')
}

/** A table of Markdown has exactly one row of headings. */
export function renderMarkdownTable(table: PageTable): string {
  const escapeText = (text: string) => text.replaceAll(/[\\`*_[\]<>|]/g, '\\$&').replaceAll(/\s+/g, ' ')
  const rows = listRows(table).map(row => `| ${row.map(escapeText).join(' | ')} |`)
  const blank = `|${'  |'.repeat(table.cols)}`
  const [head = blank, ...body] = table.headerRows === 0 ? [blank, ...rows] : rows
  return [head, `|${' --- |'.repeat(table.cols)}`, ...body].join('\n')
}

export function renderHtmlTable({ rows, headerRows, cells, caption }: PageTable): string {
  const lines = Array.from({ length: rows }, (_, r) => {
    const row = cells.filter(cell => cell.r === r).map(cell => renderCell(cell, r < headerRows ? 'th' : 'td'))
    return `<tr>${row.join('')}</tr>`
  })
  const head = lines.slice(0, headerRows).join('')
  const title = caption === undefined ? '' : `<caption>${escapeXml(caption)}</caption>`
  const body = lines.slice(headerRows).join('')
  return `<table>${title}${head && `<thead>${head}</thead>`}${body && `<tbody>${body}</tbody>`}</table>`
}

function renderCell({ rowSpan, colSpan, text, number }: PageTableCell, tag: 'th' | 'td'): string {
  const spans = `${rowSpan > 1 ? ` rowspan="${rowSpan}"` : ''}${colSpan > 1 ? ` colspan="${colSpan}"` : ''}`
  return `<${tag}${spans}>${escapeXml(number === undefined ? text : String(number))}</${tag}>`
}

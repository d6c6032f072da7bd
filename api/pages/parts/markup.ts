import { type Html, html } from './html.ts'

// The engine for Markdown runs in workers only, and whoever asks may be hostile: here is what a question needs of it. Images
// are shown as their addresses, because loading one tells its server who reads, and a link shows where it leads.

const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|!?\[([^\]\n]*)\]\(([^\s()]+)\)|(https?:\/\/[^\s<>"'`*\])]+)/g

/** Paragraphs, headings, lists, tables, blocks of code, `code`, bold and links; all else is shown as it is. */
export function renderMarkup(text: string): Html[] {
  const parts = text.replaceAll('\r\n', '\n').split(/^```.*$/m)
  return parts.flatMap((part, index) =>
    index % 2 === 1 ? html`<pre tabindex="0"><code>${part.replace(/^\n|\n$/g, '')}</code></pre>` : renderBlocks(part),
  )
}

const HEADING = /^#{1,6} /
const BULLET = /^\s*[-*+] /
const NUMBER = /^\s*(\d{1,3})[.)] /
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/

type Kind = 'heading' | 'bullets' | 'numbers' | 'table' | 'text'

interface Piece {
  kind: Kind
  lines: string[]
}

function renderBlocks(text: string): Html[] {
  const blocks = text.split(/\n[ \t]*\n/).map(block => block.split('\n').filter(line => line.trim() !== ''))
  return blocks.flatMap(lines => splitBlock(lines).map(renderPiece))
}

function splitBlock(lines: readonly string[]): Piece[] {
  const pieces: Piece[] = []
  for (const [index, line] of lines.entries()) {
    const last = pieces.at(-1)
    const kind = kindOf(line, lines[index + 1], last?.kind)
    if (last?.kind === kind && kind !== 'heading') last.lines.push(line)
    else pieces.push({ kind, lines: [line] })
  }
  return pieces
}

/** A table goes on to the end of its block, and a list with lines that have no mark. */
function kindOf(line: string, next: string | undefined, before: Kind | undefined): Kind {
  if (HEADING.test(line)) return 'heading'
  if (before === 'table' || isTableHead(line, next)) return 'table'
  if (BULLET.test(line)) return 'bullets'
  const number = NUMBER.exec(line)?.[1]
  // A line of a text that goes on with a number is no list.
  if (number !== undefined && (before !== 'text' || number === '1')) return 'numbers'
  return before === 'bullets' || before === 'numbers' ? before : 'text'
}

function isTableHead(line: string, next: string | undefined): boolean {
  if (next === undefined || !line.includes('|') || !DIVIDER.test(next)) return false
  return splitCells(line).length === splitCells(next).length
}

function renderPiece({ kind, lines }: Piece): Html {
  if (kind === 'bullets')
    return html`<ul>${joinItems(lines, BULLET).map(item => html`<li>${renderInline(item)}</li>`)}</ul>`
  if (kind === 'numbers') return html`<ol>${renderNumbered(lines)}</ol>`
  if (kind === 'heading') return html`<p><strong>${renderInline(lines[0]!.replace(HEADING, ''))}</strong></p>`
  if (kind === 'table') return renderTable(lines)
  return html`<p>${lines.map((line, index) => html`${index > 0 && html`<br>`}${renderInline(line)}`)}</p>`
}

function joinItems(lines: readonly string[], mark: RegExp): string[] {
  const items: string[] = []
  for (const line of lines) {
    if (mark.test(line)) items.push(line.replace(mark, ''))
    else items.push(`${items.pop()} ${line.trim()}`)
  }
  return items
}

/** Clauses are referred to by their numbers, so those stay; a list that begins each item with 1 is counted. */
function renderNumbered(lines: readonly string[]): Html[] {
  const numbers = lines.flatMap(line => NUMBER.exec(line)?.[1] ?? []).map(Number)
  const isCounted = numbers.every(number => number === numbers[0])
  return joinItems(lines, NUMBER).map(
    (item, index) => html`<li value="${isCounted ? numbers[0]! + index : numbers[index]}">${renderInline(item)}</li>`,
  )
}

function renderTable([head, , ...rows]: readonly string[]): Html {
  const names = splitCells(head!)
  const body = rows.map(row => {
    const cells = splitCells(row)
    return html`<tr>${names.map((_, index) => html`<td>${renderInline(cells[index] ?? '')}</td>`)}</tr>`
  })
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table"><table class="table"><thead><tr>${names.map(name => html`<th scope="col">${renderInline(name)}</th>`)}</tr></thead><tbody>${body}</tbody></table></div>`
}

function splitCells(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/).map(cell => cell.trim().replaceAll('\\|', '|'))
}

function renderInline(text: string): Html[] {
  const found: Html[] = []
  let end = 0
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, bold, label, target, address] = match
    found.push(html`${text.slice(end, match.index)}`)
    end = match.index + whole.length
    if (code !== undefined) found.push(html`<code>${code}</code>`)
    else if (bold !== undefined) found.push(html`<strong>${bold}</strong>`)
    else if (address !== undefined) found.push(renderLink(address))
    else found.push(html`${label} (${whole.startsWith('!') ? target : renderTarget(target!)})`)
  }
  return [...found, html`${text.slice(end)}`]
}

function renderTarget(target: string): Html | string {
  return /^(https?:\/\/|mailto:)/i.test(target) && URL.canParse(target) ? renderLink(target) : target
}

function renderLink(address: string): Html {
  return html`<a href="${address}" rel="nofollow noopener noreferrer">${address}</a>`
}

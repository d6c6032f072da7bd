import { BAR_IN_CELL, MARK_BEFORE_LINK } from './markdown-escapes.ts'

/** Elements that Markdown has no mark for; the texts around them are joined, so that each is escaped as a whole. */
const WITHOUT_MARKS =
  'span, font, small, big, u, ins, mark, abbr, time, label, cite, dfn, var, samp, kbd, q, tt, data, bdi, bdo, nobr, wbr, a:not([href])'
const BLOCKS =
  'p, div, section, article, header, footer, h1, h2, h3, h4, h5, h6, ul, ol, li, dl, dt, dd, figure, figcaption, blockquote, address, main, aside, nav, table, caption, thead, tbody, tfoot, tr, td, th'
const NESTED_MARKS = 'strong strong, strong b, b b, b strong, em em, em i, i i, i em, del del, s s'
/** What a cell of a Markdown table cannot hold. */
const COMPLEX = 'ul, ol, dl, hr, blockquote, pre'

/** Rewrites what the converter would misread. `root` is changed. */
export function prepareForMarkdown(root: HTMLElement, hasTables: boolean): void {
  for (const block of find(root, 'pre')) markCode(block)
  for (const element of find(root, 'details, dialog, search, legend')) rename(element, 'div')
  for (const link of find(root, 'a[href]')) flattenLink(link)
  for (const element of find(root, NESTED_MARKS)) unwrap(element)
  for (const element of find(root, WITHOUT_MARKS)) if (!element.closest('pre')) unwrap(element)
  prepareTables(root)
  root.normalize()
  if (hasTables) for (const table of listMarkdownTables(root)) markBars(table)
}

function listMarkdownTables(root: HTMLElement): Element[] {
  return find(root, 'table').filter(table => !isComplexTable(table))
}

function prepareTables(root: HTMLElement): void {
  for (const caption of find(root, 'caption')) findTable(caption)?.before(rename(caption, 'div'))
  dissolveLayoutTables(root)
  for (const table of find(root, 'table')) prepareTable(table)
}

export function isComplexTable(table: Element): boolean {
  return find(table, COMPLEX).length > 0
}

function find(root: Element, selector: string): Element[] {
  return Array.from(root.querySelectorAll(selector))
}

function unwrap(element: Element): void {
  while (element.firstChild) element.parentNode?.insertBefore(element.firstChild, element)
  element.remove()
}

function rename(element: Element, name: string): Element {
  const renamed = element.ownerDocument.createElement(name)
  while (element.firstChild) renamed.appendChild(element.firstChild)
  element.replaceWith(renamed)
  return renamed
}

/** The converter fences a code element that fills its block, and reads nothing but the text in it. */
function markCode(block: Element): void {
  for (const lineBreak of find(block, 'br')) lineBreak.replaceWith('\n')
  if (block.firstChild?.nodeName === 'CODE' && !block.firstChild.nextSibling) return
  const code = block.ownerDocument.createElement('code')
  const language = /language-\S+/.exec(`${block.className} ${block.querySelector('code')?.className ?? ''}`)?.[0]
  if (language !== undefined) code.setAttribute('class', language)
  code.textContent = block.textContent
  block.textContent = ''
  block.appendChild(code)
}

/** A link is within one line: blocks in it are parted by spaces. */
function flattenLink(link: Element): void {
  for (const block of find(link, BLOCKS)) {
    block.before(' ')
    block.after(' ')
    unwrap(block)
  }
  for (const lineBreak of find(link, 'br, hr')) lineBreak.replaceWith(' ')
  const before = link.previousSibling
  if (before?.nodeName !== '#text' || !before.textContent?.endsWith('!')) return
  before.textContent = before.textContent.slice(0, -1) + MARK_BEFORE_LINK
}

function findTable(part: Node): Element | undefined {
  let ancestor: Node | null = part.parentNode
  while (ancestor && ancestor.nodeName !== 'TABLE') ancestor = ancestor.parentNode
  return (ancestor ?? undefined) as Element | undefined
}

/** A table around another one, or around a single cell, only lays out the page. */
function dissolveLayoutTables(root: Element): void {
  const tables = find(root, 'table')
  const parts = Map.groupBy(find(root, 'colgroup, thead, tbody, tfoot, tr, td, th'), findTable)
  const layout = new Set(tables.flatMap(table => findTable(table) ?? []))
  for (const table of tables) {
    const own = parts.get(table) ?? []
    const cells = own.filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH')
    if (!layout.has(table) && cells.length > 1) continue
    for (const part of [...own, table]) rename(part, 'div')
  }
}

function prepareTable(table: Element): void {
  for (const element of find(table, 'colgroup')) element.remove()
  for (const heading of find(table, 'h1, h2, h3, h4, h5, h6')) rename(heading, 'div')
  moveHeadRows(table)
}

/** A Markdown table has one row of heads. */
function moveHeadRows(table: Element): void {
  const head = table.querySelector('thead')
  const rows = head ? find(head, 'tr').slice(1) : []
  if (!head || rows.length === 0) return
  const body = table.ownerDocument.createElement('tbody')
  for (const row of rows) body.appendChild(row)
  head.after(body)
}

function markBars(node: Node): void {
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.nodeName !== '#text') markBars(child)
    else if (child.textContent?.includes('|')) child.textContent = child.textContent.replaceAll('|', BAR_IN_CELL)
  }
}

import { countingVariants, isPageNumber, MIN_LINES_BESIDE_COUNTING } from '../../../tasks/formats/pdf/counting-lines.ts'
import { type Block, buildBlocks, type FontSizes } from './blocks.ts'
import { findRows } from './rows.ts'
import { type PageSpans, parsePages, type Span, type TextRun } from './spans.ts'
import { parseStructure } from './structure.ts'
import { TaggedRows } from './tagged-rows.ts'
import { keepVisible } from './visible.ts'

interface MarkdownPage {
  page: number
  markdown: string
  hasText: boolean
  headings: { level: number; text: string }[]
  tables: number
}

/** Converts pages, as poppler describes them, to Markdown. Runs in a thread, because a long document takes long. */
export function bind() {
  return { convert: async (markup: Markup, options: { keepRunning: boolean }) => convertPages(markup, options) }
}

/** What poppler's programs print of a document. */
interface Markup {
  xml: string
  boxes: string
  structure: string
}

function convertPages({ xml, boxes, structure }: Markup, { keepRunning }: { keepRunning: boolean }): MarkdownPage[] {
  const pages = keepVisible(parsePages(xml), boxes)
  const tagged = new TaggedRows(parseStructure(structure))
  const running = keepRunning ? new Set<string>() : findRunningLines(pages)
  const kept = pages.map(page => dropRunning(page, running))
  const fontSizes = measureFontSizes(kept)
  return kept.map(page => {
    const blocks = findRows(page).flatMap(rows => buildBlocks(rows, fontSizes, tagged))
    const headings = blocks.flatMap(block =>
      block.kind === 'heading' ? [{ level: block.level, text: plainText(block.runs) }] : [],
    )
    const tables = blocks.filter(({ kind }) => kind === 'table').length
    return { page: page.page, markdown: renderBlocks(blocks), hasText: page.spans.length > 0, headings, tables }
  })
}

/** The share of the page height that counts as header or footer. */
const EDGE_SHARE = 0.09
const MIN_PAGES = 3

/** Finds headers, footers and page numbers: lines at the same position at the edge of many pages. */
function findRunningLines(pages: readonly PageSpans[]): Set<string> {
  const counts = new Map<string, number>()
  for (const page of pages)
    for (const key of new Set(page.spans.filter(span => isAtEdge(span, page)).flatMap(span => listKeys(span, page))))
      counts.set(key, (counts.get(key) ?? 0) + 1)
  const minPages = Math.max(MIN_PAGES, pages.length * 0.4)
  return new Set([...counts].filter(([, count]) => count >= minPages).map(([key]) => key))
}

/** What would leave nothing of a page is its content. */
function dropRunning(page: PageSpans, running: ReadonlySet<string>): PageSpans {
  const isRunning = (span: Span) => isAtEdge(span, page) && listKeys(span, page).some(key => running.has(key))
  const spans = page.spans.filter(span => !isRunning(span))
  return spans.length > 0 ? { ...page, spans } : page
}

function isAtEdge({ top, bottom }: Span, { height }: PageSpans): boolean {
  return bottom < height * EDGE_SHARE || top > height * (1 - EDGE_SHARE)
}

/** The line as it is, and as what is the same on all pages if its number counts with them. */
function listKeys(span: Span, { page, spans }: PageSpans): string[] {
  const text = span.text.trim()
  const mayCount = spans.length > MIN_LINES_BESIDE_COUNTING || isPageNumber(text, page)
  const variants = [text, ...(mayCount ? countingVariants(text, page) : [])]
  return variants.map(variant => `${Math.round(span.top / 4)} ${variant}`)
}

const HEADING_SCALE = 1.12
const MAX_LEVELS = 5

function measureFontSizes(pages: readonly PageSpans[]): FontSizes {
  const charactersBySize = new Map<number, number>()
  for (const { size, text } of pages.flatMap(({ spans }) => spans))
    charactersBySize.set(size, (charactersBySize.get(size) ?? 0) + text.length)
  const body = [...charactersBySize].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 10
  const larger = [...charactersBySize.keys()].filter(size => size > body * HEADING_SCALE).sort((a, b) => b - a)
  const distinct = larger.filter((size, index) => index === 0 || larger[index - 1]! - size > 0.6)
  return { body, headings: distinct.slice(0, MAX_LEVELS) }
}

function renderBlocks(blocks: readonly Block[]): string {
  let markdown = ''
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1]
    const gap = before === undefined ? '' : before.kind === 'item' && block.kind === 'item' ? '\n' : '\n\n'
    markdown += gap + RENDERERS[block.kind](block as never)
  }
  return markdown
}

type BlockOf<Kind> = Extract<Block, { kind: Kind }>

const RENDERERS: { [Kind in Block['kind']]: (block: BlockOf<Kind>) => string } = {
  heading: ({ level, runs }) => `${'#'.repeat(level)} ${renderRuns(runs.map(run => ({ ...run, bold: false })))}`,
  paragraph: ({ runs }) => escapeLineStart(renderRuns(runs)),
  item: ({ depth, marker, runs }) => `${'  '.repeat(Math.min(depth, 5))}${marker} ${renderRuns(runs)}`,
  code: ({ lines }) => ['```', ...lines.map(line => line.replaceAll('```', "'''")), '```'].join('\n'),
  table({ table: { rows } }) {
    const columns = Math.max(...rows.map(({ length }) => length))
    const lines = rows.map(row => {
      const cells = Array.from({ length: columns }, (_, index) => (row[index] ?? []).map(renderCell).join(' ').trim())
      return `| ${cells.join(' | ')} |`
    })
    return [lines[0]!, `|${' --- |'.repeat(columns)}`, ...lines.slice(1)].join('\n')
  },
}

function renderCell({ runs }: Pick<Span, 'runs'>): string {
  return renderRuns(runs).replaceAll('|', '\\|')
}

function plainText(runs: readonly TextRun[]): string {
  return runs
    .map(({ text }) => text)
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Merges runs of the same style: emphasis markers must not touch spaces. */
function renderRuns(runs: readonly TextRun[]): string {
  const merged: TextRun[] = []
  for (const run of runs) {
    const last = merged.at(-1)
    const hasSameStyle = last && last.bold === run.bold && last.italic === run.italic && last.href === run.href
    if (hasSameStyle) merged[merged.length - 1] = { ...last, text: last.text + run.text }
    else merged.push(run)
  }
  return merged.map(renderRun).join('').replaceAll(/\s+/g, ' ').trim()
}

function renderRun({ text, bold, italic, href }: TextRun): string {
  const [, before = '', middle = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? []
  if (middle === '') return text
  const emphasis = `${bold ? '**' : ''}${italic ? '*' : ''}`
  const markdown = `${emphasis}${escapeMarkdown(middle)}${[...emphasis].reverse().join('')}`
  const address = href?.replaceAll(/[()\s<>]/g, character =>
    encodeURIComponent(character).replaceAll('(', '%28').replaceAll(')', '%29'),
  )
  return `${before}${address ? `[${markdown}](${address})` : markdown}${after}`
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>]/g, '\\$&')
}

/** Escapes characters that would turn a paragraph into a heading, list or quote. */
function escapeLineStart(text: string): string {
  return text.replace(/^(#{1,6}\s|[-+]\s|>|\d+[.)]\s|~~~|=+$)/, '\\$&')
}

import { type Block, blocksOf, type Measures } from './paper-blocks.ts'
import { rowsOf } from './paper-rows.ts'
import { type Paper, type Part, papersIn, type Span } from './paper-spans.ts'

export interface MarkdownPage {
  page: number
  markdown: string
  hasText: boolean
  headings: { level: number; text: string }[]
  tables: number
}

/** Turns pages, as poppler describes them, into Markdown. In a thread: a long document takes its time. */
export function bind() {
  return { pages: async (xml: string, options: { keepRunning: boolean }) => pagesOf(xml, options) }
}

function pagesOf(xml: string, { keepRunning }: { keepRunning: boolean }): MarkdownPage[] {
  const papers = papersIn(xml)
  const running = keepRunning ? new Set<string>() : runningLines(papers)
  const kept = papers.map(paper => ({ ...paper, spans: paper.spans.filter(span => !running.has(keyOf(span, paper))) }))
  const measures = measuresOf(kept)
  return kept.map(paper => {
    const blocks = rowsOf(paper).flatMap(rows => blocksOf(rows, measures))
    const headings = blocks.flatMap(block =>
      block.kind === 'heading' ? [{ level: block.level, text: plainOf(block.parts) }] : [],
    )
    const tables = blocks.filter(({ kind }) => kind === 'table').length
    return { page: paper.page, markdown: written(blocks), hasText: paper.spans.length > 0, headings, tables }
  })
}

const EDGE = 0.09
const LEAST_PAGES = 3

/** Lines that stand at the same place of the head or foot of many pages, page numbers among them. */
function runningLines(papers: readonly Paper[]): Set<string> {
  const counts = new Map<string, number>()
  for (const paper of papers)
    for (const key of new Set(paper.spans.filter(span => isAtEdge(span, paper)).map(span => keyOf(span, paper))))
      counts.set(key, (counts.get(key) ?? 0) + 1)
  const most = Math.max(LEAST_PAGES, papers.length * 0.4)
  return new Set([...counts].filter(([, count]) => count >= most).map(([key]) => key))
}

function isAtEdge({ top, bottom }: Span, { height }: Paper): boolean {
  return bottom < height * EDGE || top > height * (1 - EDGE)
}

function keyOf(span: Span, paper: Paper): string {
  const place = isAtEdge(span, paper) ? Math.round(span.top / 4) : `in ${paper.page} ${span.top} ${span.left}`
  return `${place} ${span.text.trim().replaceAll(/\d+/g, '#')}`
}

const LARGER = 1.12
const MOST_LEVELS = 5

function measuresOf(papers: readonly Paper[]): Measures {
  const letters = new Map<number, number>()
  for (const { size, text } of papers.flatMap(({ spans }) => spans))
    letters.set(size, (letters.get(size) ?? 0) + text.length)
  const body = [...letters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 10
  const larger = [...letters.keys()].filter(size => size > body * LARGER).sort((a, b) => b - a)
  const apart = larger.filter((size, index) => index === 0 || larger[index - 1]! - size > 0.6)
  return { body, headings: apart.slice(0, MOST_LEVELS) }
}

function written(blocks: readonly Block[]): string {
  let markdown = ''
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1]
    const gap = before === undefined ? '' : before.kind === 'item' && block.kind === 'item' ? '\n' : '\n\n'
    markdown += gap + WRITERS[block.kind](block as never)
  }
  return markdown
}

type Of<Kind> = Extract<Block, { kind: Kind }>

const WRITERS: { [Kind in Block['kind']]: (block: Of<Kind>) => string } = {
  heading: ({ level, parts }) => `${'#'.repeat(level)} ${inline(parts.map(part => ({ ...part, bold: false })))}`,
  paragraph: ({ parts }) => atStart(inline(parts)),
  item: ({ depth, mark, parts }) => `${'  '.repeat(Math.min(depth, 5))}${mark} ${inline(parts)}`,
  code: ({ lines }) => ['```', ...lines.map(line => line.replaceAll('```', "'''")), '```'].join('\n'),
  table({ table: { rows } }) {
    const lines = rows.map(
      row =>
        `| ${row
          .map(cell =>
            cell
              .map(span => cellText(span))
              .join(' ')
              .trim(),
          )
          .join(' | ')} |`,
    )
    const rule = `|${' --- |'.repeat(rows[0]!.length)}`
    return [lines[0]!, rule, ...lines.slice(1)].join('\n')
  },
}

function cellText({ parts }: Span): string {
  return inline(parts).replaceAll('|', '\\|')
}

export function plainOf(parts: readonly Part[]): string {
  return parts
    .map(({ text }) => text)
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Parts of the same look are one; stars may not touch spaces. */
function inline(parts: readonly Part[]): string {
  const merged: Part[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    const isSame = last && last.bold === part.bold && last.italic === part.italic && last.href === part.href
    if (isSame) merged[merged.length - 1] = { ...last, text: last.text + part.text }
    else merged.push(part)
  }
  return merged.map(styled).join('').replaceAll(/\s+/g, ' ').trim()
}

function styled({ text, bold, italic, href }: Part): string {
  const [, before = '', middle = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? []
  if (middle === '') return text
  const stars = `${bold ? '**' : ''}${italic ? '*' : ''}`
  const shown = `${stars}${escaped(middle)}${[...stars].reverse().join('')}`
  const address = href?.replaceAll(/[()\s<>]/g, sign =>
    encodeURIComponent(sign).replaceAll('(', '%28').replaceAll(')', '%29'),
  )
  return `${before}${address ? `[${shown}](${address})` : shown}${after}`
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>]/g, '\\$&')
}

/** What would make a paragraph something else at its start. */
function atStart(text: string): string {
  return text.replace(/^(#{1,6}\s|[-+]\s|>|\d+[.)]\s|~~~|=+$)/, '\\$&')
}

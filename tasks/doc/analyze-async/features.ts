import type { InputFile } from '#kit'
import { buildBlocks, type TextBlock } from '../../formats/document/blocks.ts'
import { readPage } from '../../formats/document/page.ts'
import { renderMarkdown, renderText } from '../../formats/document/render.ts'
import { readPageForm } from '../../formats/page-forms/read.ts'
import { findTables } from '../../formats/page-tables/find.ts'
import { type PageTable, presentTable } from '../../formats/page-tables/present.ts'
import { renderMarkdownTable } from '../../formats/page-tables/render.ts'
import type { Tools } from '../../kit/operation.ts'
import { describeBlocks, describeField, describeTable } from '../schema.ts'

/** What is found on a page, and how many thousandths of a dollar it costs. */
const FEATURES = { text: 3, layout: 8, markdown: 8, tables: 20, forms: 40 }

export type Feature = keyof typeof FEATURES

/** Layout and Markdown come from the same work. */
export function pricePage(features: readonly Feature[]): number {
  const costs = new Map(features.map(feature => [feature === 'markdown' ? 'layout' : feature, FEATURES[feature]]))
  return [...costs.values()].reduce((sum, cost) => sum + cost, 0)
}

interface PageRequest {
  file: InputFile
  page: number
  features: readonly Feature[]
  languages: readonly string[]
}

type AnalyzeTools = Pick<Tools, 'pageRenderer' | 'pdfEditor' | 'poppler' | 'qpdf' | 'sharp' | 'tesseract'> & {
  out(name: string): string
}

export async function analyzePage({ file, page: number, features, languages }: PageRequest, tools: AnalyzeTools) {
  const has = (...wanted: Feature[]) => wanted.some(feature => features.includes(feature))
  const findsRulings = has('tables', 'forms', 'markdown')
  const request = { file, page: number, languages, password: undefined, minConfidence: 0, findsRulings }
  const page = await readPage(request, tools)
  const blocks = buildBlocks(page)
  const tables = has('tables', 'markdown')
    ? findTables(page, ['lattice', 'stream']).map(table => presentTable(table, AS_FOUND))
    : []
  const form = has('forms') && (await readPageForm(page, { file, page: number, password: undefined }, tools))
  const headings = blocks.filter(({ type }) => type === 'title' || type === 'heading')
  return {
    source: page.source,
    ...(has('text') && { text: renderText(blocks) }),
    ...(has('layout') && { blocks: describeBlocks(blocks, page, number) }),
    ...(has('markdown') && { markdown: renderPage(blocks, tables) }),
    ...(has('layout', 'markdown') && {
      headings: headings.map(({ level = 1, text }) => ({ level, text, page: number })),
    }),
    ...(has('tables') && { tables: tables.map(table => describeTable(table, page)) }),
    ...(form && { fields: form.fields.map(field => describeField(field, page)) }),
  }
}

const AS_FOUND = { header: 'auto', merge: 'span', numbers: 'keep' } as const

/** The text of the page with its tables in their places. */
function renderPage(blocks: readonly TextBlock[], tables: readonly PageTable[]): string {
  const isIn = ({ box }: TextBlock, { box: [left, top, right, bottom] }: PageTable) => {
    const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]
    return x > left && x < right && y > top && y < bottom
  }
  const shown = new Set<PageTable>()
  const parts = blocks.flatMap(block => {
    const table = tables.find(candidate => isIn(block, candidate))
    if (!table) return [renderMarkdown([block])]
    if (shown.has(table)) return []
    shown.add(table)
    return [renderMarkdownTable(table)]
  })
  return parts.filter(part => part !== '').join('\n\n')
}

import type { InputFile } from '#kit'
import { findTables } from '../../engines/page-tables/find.ts'
import { presentTable } from '../../engines/page-tables/present.ts'
import { buildBlocks } from '../../formats/document/blocks.ts'
import { type DocumentPage, readPage } from '../../formats/document/page.ts'
import { renderText } from '../../formats/document/render.ts'
import { readPageForm } from '../../formats/page-forms/read.ts'
import type { Tools } from '../../kit/operation.ts'
import { describeBlocks, describeField, describeTable } from '../schema.ts'
import { type CountedPiece, countPieces } from './chunks.ts'
import { type PageInvoice, readPageInvoice } from './invoices.ts'
import { listPieces } from './pieces.ts'
import { countCredits, type Feature, type planAnalysis } from './price.ts'
import { askOnePage, type PageAnswers } from './questions.ts'

interface PageRequest {
  file: InputFile
  page: number
  features: readonly Feature[]
  languages: readonly string[]
  asked: ReturnType<typeof planAnalysis>['asked']
}

type AnalyzeTools = Pick<
  Tools,
  | 'barcodeReader'
  | 'invoiceReader'
  | 'languageModel'
  | 'pageRenderer'
  | 'libpdf'
  | 'poppler'
  | 'qpdf'
  | 'sharp'
  | 'tesseract'
  | 'tokenizer'
> & { out(name: string): string }

/** What is saved with a page for the result of the whole document, and not shown. */
export interface Kept extends Pick<PageAnswers, 'usage'> {
  credits: number
  pieces?: CountedPiece[]
  invoice?: PageInvoice
}

const AS_FOUND = { header: 'auto', merge: 'span', numbers: 'keep' } as const

export async function analyzePage(request: PageRequest, tools: AnalyzeTools) {
  const { file, page: number, features, languages, asked } = request
  const has = (...wanted: Feature[]) => wanted.some(feature => features.includes(feature))
  const reading = { file, page: number, languages, password: undefined, minConfidence: 0 }
  const findsRulings = has('tables', 'markdown', 'chunks', 'forms')
  const page = await readPage({ ...reading, findsRulings }, tools)
  const { pieces, ...shown } = describeText(page, number, has)
  const form = has('forms') && (await readPageForm(page, { file, page: number, password: undefined }, tools))
  const invoice = has('invoice') && (await readPageInvoice(page, { file, path: file.path, page: number }, tools))
  const { usage, ...answered } = asked ? await askOnePage(page, asked, tools.languageModel) : {}
  const done = features.filter(feature => feature !== 'questions' || 'answers' in answered)
  const kept: Kept = {
    credits: countCredits(done),
    ...(usage && { usage }),
    ...(has('chunks') && { pieces: await countPieces(pieces, tools.tokenizer) }),
    ...(invoice && { invoice }),
  }
  return {
    source: page.source,
    ...shown,
    ...(form && { fields: form.fields.map(field => describeField(field, page)) }),
    ...answered,
    kept,
  }
}

/** What follows from the lines of the page. `pieces` are for its Markdown and its chunks. */
function describeText(page: DocumentPage, number: number, has: (...wanted: Feature[]) => boolean) {
  const blocks = buildBlocks(page)
  const described = describeBlocks(blocks, page, number)
  const tables = has('tables', 'markdown', 'chunks') ? findTables(page, ['lattice', 'stream']) : []
  const pageTables = tables.map(table => presentTable(table, AS_FOUND))
  const ids = described.map(({ id }) => id)
  const pieces = has('markdown', 'chunks') ? listPieces(blocks, pageTables, ids) : []
  const headings = blocks.filter(({ type }) => type === 'title' || type === 'heading')
  return {
    pieces,
    ...(has('text') && { text: renderText(blocks) }),
    ...(has('layout') && { blocks: described }),
    ...(has('markdown') && { markdown: pieces.map(({ markdown }) => markdown).join('\n\n') }),
    ...(has('layout', 'markdown') && {
      headings: headings.map(({ level = 1, text }) => ({ level, text, page: number })),
    }),
    ...(has('tables') && { tables: pageTables.map(table => describeTable(table, page)) }),
  }
}

import { type InputFile, PRICE_CEILING, type Price, Problem, perPage, usd } from '#kit'
import type { Tier } from '../../formats/language/tiers.ts'
import { checkOcrPages, selectDocumentPages } from '../../formats/ocr/pages.ts'
import { computeModelCeiling, estimateModelCost } from '../../formats/page-questions/request.ts'
import type { ChunkOptions } from './chunks.ts'

/** What is found on a page, and how many thousandths of a dollar it costs. */
const CREDITS = { text: 3, layout: 8, markdown: 8, tables: 20, forms: 40, invoice: 20, questions: 15, chunks: 1 }

export type Feature = keyof typeof CREDITS
export const FEATURES = Object.keys(CREDITS) as Feature[]

/** Layout and Markdown come from the same work. */
export function countCredits(features: readonly Feature[]): number {
  const costs = new Map(features.map(feature => [feature === 'markdown' ? 'layout' : feature, CREDITS[feature]]))
  return [...costs.values()].reduce((sum, cost) => sum + cost, 0)
}

export interface AnalysisInput {
  file: InputFile
  pages: string
  features: Feature[]
  questions?: string[] | undefined
  tier?: Tier | undefined
  chunk?: ChunkOptions | undefined
}

/** A dense page of a book has 6,000. */
const MAX_ASKED_BYTES = 12_000
export const DEFAULT_TIER = 'value'

const CREDIT = usd('0.001')

export const PRICE: Price<AnalysisInput> = {
  ...perPage(
    '0.001',
    (input: AnalysisInput) => planAnalysis(input).pages.length * countCredits(input.features),
    'page credit',
  ),
  extraMicros: input => planAnalysis(input).modelMicros,
  expectedExtraMicros: input => {
    const { pages, asked } = planAnalysis(input)
    return asked ? BigInt(pages.length * estimateModelCost(asked)) : 0n
  },
  note:
    'Of a page: text 3, layout or markdown or both 8, tables 20, forms 40, invoice 20 (XML: 20 in all), chunks 1, questions ' +
    '15 and what the model takes.',
}

/** Which pages a call analyses, and what the language model may take for them. Throws if its options do not fit. */
export function planAnalysis({ file, pages: range, features, questions, tier, chunk }: AnalysisInput) {
  checkOptions({ features, questions, tier, chunk })
  const pages = selectDocumentPages(file, range).sort((a, b) => a - b)
  checkOcrPages(pages)
  const asked = questions && { questions, tier: tier ?? DEFAULT_TIER, maxPageBytes: MAX_ASKED_BYTES }
  const pageMicros = asked ? BigInt(computeModelCeiling(asked)) : 0n
  if (asked) checkCost(pages.length, pageMicros + BigInt(CREDITS.questions) * CREDIT)
  return { pages, asked, modelMicros: BigInt(pages.length) * pageMicros }
}

/** An option of what is not asked for would have no effect. */
function checkOptions({ features, questions, tier, chunk }: Omit<AnalysisInput, 'file' | 'pages'>): void {
  const asksQuestions = features.includes('questions')
  if (asksQuestions && !questions) throw new Problem('MISSING_FIELD', { field: 'questions' })
  const useless = Object.entries({ questions, tier }).filter(([, value]) => value !== undefined && !asksQuestions)
  const fields = [...useless.map(([name]) => name), ...(chunk && !features.includes('chunks') ? ['chunk'] : [])]
  if (fields.length > 0) {
    const needs = fields[0] === 'chunk' ? 'chunks' : 'questions'
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['features', ...fields], needs })
  }
  if (chunk && chunk.overlap * 2 > chunk.maxTokens)
    throw new Problem('INVALID_PARAM', { field: 'chunk.overlap', max: Math.floor(chunk.maxTokens / 2) })
}

/** A call never costs more than a dollar, and what a provider takes has to be paid. */
function checkCost(pages: number, pageMicros: bigint): void {
  const limit = Number(PRICE_CEILING / pageMicros)
  if (pages <= limit) return
  const detail = 'so many pages can be asked at once in this tier; set pages, and call once for each part'
  throw new Problem('TOO_MANY_PAGES', { limit, actual: pages, detail })
}

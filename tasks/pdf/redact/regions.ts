import { Type } from 'typebox'
import { type InputFile, Problem, type Warning } from '#kit'
import { type Rect, rectsOverlap } from '../../formats/geometry/rect.ts'
import type { PageRegion } from '../../formats/pdf/document.ts'
import type { TextPage, TextWord } from '../../formats/pdf/text-layout.ts'
import { collectInputWarnings, isSigned, pageCountOf, SIGNATURES_REMOVED } from '../schema.ts'

export const REDACTION_ERRORS = [
  'BAD_RANGE',
  'INVALID_PARAM',
  'MISSING_FIELD',
  'PDF_SIGNED',
  'REDACTION_UNVERIFIED',
  'REGEX_INVALID',
  'REGEX_UNSUPPORTED',
] as const

const Side = Type.Number({ minimum: -14_400, maximum: 14_400 })

export const Regions = Type.Array(
  Type.Object({ page: Type.Integer({ minimum: 1 }), left: Side, top: Side, right: Side, bottom: Side }),
  { maxItems: 1000, description: 'Points from the top left corner of the page as displayed.' },
)

interface RedactInput {
  file: InputFile
  texts?: string[]
  patterns?: string[]
  regions?: { page: number; left: number; top: number; right: number; bottom: number }[]
}

/** A pattern without any special character looks like the name of a known kind of text, of which there are none. */
const BARE_WORD = /^[\w-]+$/

/** Nothing is charged if nothing was found because names were given instead of regular expressions. */
export function rejectPatternNames(patterns: readonly string[]): void {
  const index = patterns.findIndex(pattern => BARE_WORD.test(pattern))
  if (index < 0) return
  const detail = 'Nothing was found. Patterns are regular expressions, not names of kinds such as email.'
  throw new Problem('INVALID_PARAM', { field: `patterns.${index}`, detail, example: '[\\w.+-]+@[\\w.-]+' })
}

/** Checks the regions of the caller, who must give at least one text, pattern or region. */
export function resolveRegions({ file, texts = [], patterns = [], regions = [] }: RedactInput): PageRegion[] {
  if (texts.length + patterns.length + regions.length === 0)
    throw new Problem('MISSING_FIELD', { field: 'texts', oneOf: ['texts', 'patterns', 'regions'] })
  const pageCount = pageCountOf(file)
  return regions.map(({ page, left, top, right, bottom }, index) => {
    if (page > pageCount) throw new Problem('BAD_RANGE', { segment: `${page}`, pageCount })
    if (left >= right || top >= bottom) throw new Problem('INVALID_PARAM', { field: `regions.${index}` })
    return { page, box: [left, top, right, bottom] }
  })
}

function selectOnPage(regions: readonly PageRegion[], page: number): PageRegion[] {
  return regions.filter(region => region.page === page)
}

/** The words outside the regions: these must survive the redaction. */
function collectWordsOutside(text: TextPage, page: number, regions: readonly PageRegion[]): TextWord[] {
  const regionsHere = selectOnPage(regions, page)
  return wordsOf(text).filter(word => !regionsHere.some(({ box }) => rectsOverlap(word.box, box)))
}

export function collectCoveredTexts(text: readonly TextPage[], regions: readonly PageRegion[]): string[] {
  return listPages(regions).flatMap(page => collectTextInside(text[page - 1]!, page, regions))
}

/** The text inside the regions, line by line. */
function collectTextInside(text: TextPage, page: number, regions: readonly PageRegion[]): string[] {
  const regionsHere = selectOnPage(regions, page)
  const lines = text.lines.map(({ words }) =>
    words.filter(word => regionsHere.some(({ box }) => containsCenter(box, word.box))),
  )
  return lines.map(words => words.map(({ text }) => text).join(' ')).filter(Boolean)
}

function wordsOf({ lines }: TextPage): TextWord[] {
  return lines.flatMap(({ words }) => words)
}

function containsCenter([left, top, right, bottom]: Rect, inner: Rect): boolean {
  const [x, y] = [(inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2]
  return x > left && x < right && y > top && y < bottom
}

const MAX_LOST_FRACTION = 0.02

/** Pairs page numbers with the text of their pages. */
export function pairWithText(pages: readonly number[], text: readonly TextPage[]) {
  return pages.map(page => ({ page, textPage: text[page - 1]! }))
}

/** The text that stays on pages that become images, so that it can still be searched. */
export function collectSearchableText(
  text: readonly TextPage[],
  pages: readonly number[],
  removed: readonly PageRegion[],
) {
  return pages.map(page => ({ page, words: collectWordsOutside(text[page - 1]!, page, removed) }))
}

export function listPages(regions: readonly PageRegion[]): number[] {
  return [...new Set(regions.map(({ page }) => page))].sort((a, b) => a - b)
}

interface Redacted {
  regions: readonly PageRegion[]
  /** Areas of annotations and fields that were removed as a whole. */
  cleared: readonly PageRegion[]
  /** Pages that are images now; what of their text cannot be written beside it is still seen. */
  rasterized: readonly number[]
  /** What a search of the redacted document still finds. */
  matches: readonly PageRegion[]
}

/** Pages where content is left in a region, or where too much text was lost outside. */
export function findFailedPages(before: readonly TextPage[], after: readonly TextPage[], redacted: Redacted): number[] {
  const pages = new Set(listPages(redacted.regions))
  const matched = new Set(redacted.matches.map(({ page }) => page))
  return [...pages.union(matched)].filter(
    page => matched.has(page) || !isPageClean(before[page - 1]!, after[page - 1]!, page, redacted),
  )
}

/** True if another reader finds no text in the regions, and nearly all the text outside of them or an image of it. */
function isPageClean(before: TextPage, after: TextPage, page: number, redacted: Redacted): boolean {
  const { regions, cleared, rasterized } = redacted
  if (collectTextInside(after, page, regions).length > 0) return false
  if (rasterized.includes(page)) return true
  const remaining = new Map<string, number>()
  for (const { text } of wordsOf(after)) remaining.set(text, (remaining.get(text) ?? 0) + 1)
  const outside = collectWordsOutside(before, page, [...regions, ...cleared])
  const lost = outside.filter(({ text }) => {
    const count = remaining.get(text) ?? 0
    remaining.set(text, count - 1)
    return count <= 0
  })
  return lost.length <= outside.length * MAX_LOST_FRACTION
}

const RASTER_DPI = 200
const MAX_PIXELS = 30e6
const MAX_RASTERIZED_PAGES = 200

/** The resolution of a good scan, reduced where the largest page would have too many pixels. Refuses too many pages. */
export function chooseDpi(pages: readonly TextPage[]): number {
  if (pages.length > MAX_RASTERIZED_PAGES)
    throw new Problem('TOO_MANY_PAGES', {
      limit: MAX_RASTERIZED_PAGES,
      actual: pages.length,
      of: 'pages that become images',
    })
  const largest = Math.max(1, ...pages.map(({ width, height }) => (width * height) / 72 ** 2))
  return Math.max(20, Math.floor(Math.min(RASTER_DPI, Math.sqrt(MAX_PIXELS / largest))))
}

function buildRasterizedWarning(page: number): Warning {
  const message = 'The content could not be removed from this page with certainty; the page is an image now.'
  return { code: 'PAGE_BECAME_PICTURE', message, page }
}

function buildNoTextWarning(page: number): Warning {
  const message = 'This page has no text to search, and its images were not examined. Use regions, or run OCR first.'
  return { code: 'PAGE_WITHOUT_TEXT', message, page }
}

const NOTHING_FOUND: Warning = { code: 'NOTHING_FOUND', message: 'None of the texts or patterns was found.' }

const ATTACHMENTS_KEPT: Warning = {
  code: 'ATTACHMENTS_KEPT',
  message: 'Attached files were not searched and are still in the document; set removeAttachments to remove them.',
}

interface RedactionSummary {
  hasRedactions: boolean
  rasterizedPages: readonly number[]
  pagesWithoutText: readonly number[]
}

export function collectRedactionWarnings(
  { file, texts = [], patterns = [], removeAttachments }: RedactInput & { removeAttachments: boolean },
  { hasRedactions, rasterizedPages, pagesWithoutText }: RedactionSummary,
): Warning[] {
  const keepsAttachments = file.facts.marks?.includes('attachments') && !removeAttachments
  return [
    ...collectInputWarnings([file]),
    ...(isSigned(file) ? [SIGNATURES_REMOVED] : []),
    ...(hasRedactions ? [] : [NOTHING_FOUND]),
    ...(keepsAttachments ? [ATTACHMENTS_KEPT] : []),
    ...rasterizedPages.map(buildRasterizedWarning),
    ...(texts.length + patterns.length > 0 ? pagesWithoutText : []).map(buildNoTextWarning),
  ]
}

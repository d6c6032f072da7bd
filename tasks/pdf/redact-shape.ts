import { Type } from 'typebox'
import { type InputFile, Problem, type Warning } from '#kit'
import { isSigned, pageCountOf, SIGNATURES_REMOVED, warningsOf } from './shape.ts'

type Box = [left: number, top: number, right: number, bottom: number]

export interface Place {
  page: number
  box: Readonly<Box>
}

interface Word {
  text: string
  box: Box
}

export interface Laid {
  width: number
  height: number
  lines: readonly { words: readonly Word[] }[]
}

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
  { maxItems: 1000, description: 'Points from the top left corner of the page as it is seen.' },
)

export interface RedactInput {
  file: InputFile
  texts?: string[]
  patterns?: string[]
  regions?: { page: number; left: number; top: number; right: number; bottom: number }[]
}

/** The places that the caller drew; at least something must be asked for. */
export function regionsOf({ file, texts = [], patterns = [], regions = [] }: RedactInput): Place[] {
  if (texts.length + patterns.length + regions.length === 0)
    throw new Problem('MISSING_FIELD', { field: 'texts', oneOf: ['texts', 'patterns', 'regions'] })
  const pageCount = pageCountOf(file)
  return regions.map(({ page, left, top, right, bottom }, index) => {
    if (page > pageCount) throw new Problem('BAD_RANGE', { segment: `${page}`, pageCount })
    if (left >= right || top >= bottom) throw new Problem('INVALID_PARAM', { field: `regions.${index}` })
    return { page, box: [left, top, right, bottom] as Box }
  })
}

export function onPage(places: readonly Place[], page: number): Place[] {
  return places.filter(place => place.page === page)
}

/** What can be read on the page outside the places: this must still be there afterwards. */
export function wordsOutside(laid: Laid, page: number, places: readonly Place[]): Word[] {
  const here = onPage(places, page)
  return wordsOf(laid).filter(word => !here.some(({ box }) => touches(word.box, box)))
}

/** What can be read inside the places. */
export function textsInside(laid: Laid, page: number, places: readonly Place[]): string[] {
  const here = onPage(places, page)
  const lines = laid.lines.map(({ words }) => words.filter(word => here.some(({ box }) => holdsMiddle(box, word.box))))
  return lines.map(words => words.map(({ text }) => text).join(' ')).filter(Boolean)
}

function wordsOf({ lines }: Laid): Word[] {
  return lines.flatMap(({ words }) => words)
}

function touches(one: Readonly<Box>, other: Readonly<Box>): boolean {
  return one[0] < other[2] && one[2] > other[0] && one[1] < other[3] && one[3] > other[1]
}

function holdsMiddle([left, top, right, bottom]: Readonly<Box>, inner: Box): boolean {
  const [x, y] = [(inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2]
  return x > left && x < right && y > top && y < bottom
}

const MOST_LOST = 0.02

/** Whether another reader finds nothing in the places, and all that stood beside them. */
export function isClean(
  before: Laid,
  after: Laid,
  page: number,
  { places, cleared }: { places: readonly Place[]; cleared: readonly Place[] },
): boolean {
  if (textsInside(after, page, places).length > 0) return false
  const left = new Map<string, number>()
  for (const { text } of wordsOf(after)) left.set(text, (left.get(text) ?? 0) + 1)
  const outside = wordsOutside(before, page, [...places, ...cleared])
  const lost = outside.filter(({ text }) => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count <= 0
  })
  return lost.length <= outside.length * MOST_LOST
}

const DPI = 200
const MOST_PIXELS = 30e6
const MOST_PICTURES = 200

/** As sharp as a good scan, but never more pixels than a page may have. */
export function dpiFor(pages: readonly Laid[]): number {
  const largest = Math.max(1, ...pages.map(({ width, height }) => (width * height) / 72 ** 2))
  return Math.max(20, Math.floor(Math.min(DPI, Math.sqrt(MOST_PIXELS / largest))))
}

export function checkPictures(pages: readonly number[]): void {
  if (pages.length > MOST_PICTURES)
    throw new Problem('TOO_MANY_PAGES', {
      limit: MOST_PICTURES,
      actual: pages.length,
      of: 'pages that become pictures',
    })
}

function becamePicture(page: number): Warning {
  const message = 'What was to go could not be taken out of this page with certainty; the page is a picture now.'
  return { code: 'PAGE_BECAME_PICTURE', message, page }
}

function withoutText(page: number): Warning {
  const message =
    'This page has no text to search; what its pictures show was not looked at. Use regions, or OCR first.'
  return { code: 'PAGE_WITHOUT_TEXT', message, page }
}

const NOTHING_FOUND: Warning = { code: 'NOTHING_FOUND', message: 'Nothing of what was looked for is there.' }

const ATTACHMENTS_KEPT: Warning = {
  code: 'ATTACHMENTS_KEPT',
  message: 'Attached files were not looked into and are still there; set removeAttachments to take them out.',
}

/** What a careful user would not expect of a redacted document. */
export function redactionWarnings(
  { file, texts = [], patterns = [], removeAttachments }: RedactInput & { removeAttachments: boolean },
  { found, pictures, blind }: { found: number; pictures: readonly number[]; blind: readonly number[] },
): Warning[] {
  const hasFiles = file.facts.marks?.includes('attachments') && !removeAttachments
  return [
    ...warningsOf([file]),
    ...(isSigned(file) ? [SIGNATURES_REMOVED] : []),
    ...(found === 0 ? [NOTHING_FOUND] : []),
    ...(hasFiles ? [ATTACHMENTS_KEPT] : []),
    ...pictures.map(becamePicture),
    ...(texts.length + patterns.length > 0 ? blind : []).map(withoutText),
  ]
}

import { Problem, resolvePageRange, type Warning } from '#kit'
import { findDelimiter, type OfficeFormat, toUtf8 } from './classify.ts'

/** How LibreOffice reads a text: as UTF-8, and a table with its delimiter, without guessing numbers from dates. */
export function readPlain(bytes: Buffer, format: OfficeFormat, encoding = 'auto') {
  const text = toUtf8(bytes, encoding).replace(/^\ufeff/, '')
  if (format.isPlain === 'text') return { text, filter: 'Text (encoded)', filterOptions: 'UTF8,LF,,,' }
  const delimiter = findDelimiter(text) ?? ','
  const options = `${delimiter.charCodeAt(0)},34,76,1,,0,false,true,false`
  return { text, filter: 'Text - txt - csv (StarCalc)', filterOptions: options }
}

/** What is printed where the caller says nothing. */
export const DEFAULT_LAYOUT = {
  sheets: 'visible',
  fit: 'width',
  notes: 'none',
  hiddenSlides: false,
  comments: 'none',
  trackedChanges: 'final',
  updateIndexes: false,
  formFields: true,
  imageQuality: 90,
  maxImageDpi: 300,
  bookmarks: true,
} as const

interface Readers {
  libpdf: { describePrint(path: string): Promise<{ pages: number; embeddedFonts: string[] }> }
  qpdf: { extractPages(path: string, parts: readonly { pages: readonly number[]; to: string }[]): Promise<string[]> }
}

interface Printed {
  path: string
  fonts: readonly { requested: string; installed: string }[]
}

/** The pages of a printed document, those that were asked for, and the fonts in it. */
export async function describePrinted(
  printed: Printed,
  { pages: range, limit, to }: { pages: string | undefined; limit: number; to: string },
  { libpdf, qpdf }: Readers,
) {
  const whole = await libpdf.describePrint(printed.path)
  if (whole.pages === 0) throw new Problem('OFFICE_PARSE_FAILED', { detail: 'the document has no page' })
  const wanted = range === undefined ? undefined : [...new Set(resolvePageRange(range, whole.pages))]
  const pages = wanted?.length ?? whole.pages
  if (pages > limit) throw new Problem('TOO_MANY_PAGES', { limit, actual: pages, field: 'maxPages' })
  const [path = printed.path] = wanted ? await qpdf.extractPages(printed.path, [{ pages: wanted, to }]) : []
  const { embeddedFonts } = wanted ? await libpdf.describePrint(path) : whole
  const substituted = printed.fonts
    .filter(({ requested, installed }) => requested !== installed)
    .map(({ requested, installed }) => ({ requested, used: installed }))
  return { path, pages, fonts: { embedded: embeddedFonts, substituted } }
}

interface Substituted {
  requested: string
  used: string
}

/** What a reader of the printed pages would not see in them. */
export function warnOfPrint(
  substituted: readonly Substituted[],
  { formulasLost = false }: { formulasLost?: boolean },
): Warning[] {
  const message = 'The formulas of the document are left out, because LibreOffice Math is not installed here.'
  return [...warnOfFonts(substituted), ...(formulasLost ? [{ code: 'FORMULAS_LOST', message }] : [])]
}

function warnOfFonts(substituted: readonly Substituted[]): Warning[] {
  return substituted.map(({ requested, used }) => ({
    code: 'FONT_SUBSTITUTED',
    message: `${requested} is not installed here; ${used} was used, and lines may break elsewhere.`,
  }))
}

import { type InputFile, perPage } from '#kit'
import { selectDocumentPages } from '../../formats/ocr/pages.ts'
import type { PageReading } from '../../formats/ocr/read-page.ts'
import type { Tools } from '../../kit/operation.ts'

/** What a recognized page costs, where a skipped one costs 1. */
const OCR_UNITS = 8

const countAll = ({ file, pages }: { file: InputFile; pages: string }) =>
  selectDocumentPages(file, pages).length * OCR_UNITS

export const SEARCHABLE_PRICE = {
  ...perPage('0.001', countAll, 'eighth of a page'),
  note: 'A recognized page counts as eight eighths, a skipped one as one.',
}

export function computeUnits({ ocrPages, skippedPages }: { ocrPages: number; skippedPages: number }): number {
  return ocrPages * OCR_UNITS + skippedPages
}

/** Weighted by the number of characters. */
export function meanConfidence(readings: readonly PageReading[]): number {
  const characters = readings.reduce((sum, { text }) => sum + text.length, 0)
  const sum = readings.reduce((total, { text, confidence }) => total + text.length * confidence, 0)
  return characters === 0 ? 0 : Math.round((sum / characters) * 10) / 10
}

const RASTER_DPI = 200

export const RERENDERED = { code: 'PAGES_RERENDERED', message: 'The recognized pages are images now.' }

/** Turns pages into images of themselves; links and fields stay. */
export async function flattenPages(
  path: string,
  pages: readonly number[],
  { pageSnapshots, libpdf, out }: Pick<Tools, 'pageSnapshots' | 'libpdf'> & { out(name: string): string },
): Promise<string> {
  const images = await pageSnapshots.render(path, pages, { dpi: RASTER_DPI, stem: 'flat' })
  const plan = { pages: pages.map(page => ({ page, words: [] })), to: out('flat.pdf') }
  return libpdf.replaceWithImages(
    path,
    pages.map(page => images.get(page)!),
    plan,
  )
}

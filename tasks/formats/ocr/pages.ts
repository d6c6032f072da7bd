import { type InputFile, Problem, resolvePageRange } from '#kit'
import type { Tools } from '../../kit/operation.ts'
import { createImageDocument } from '../pdf/image-pages.ts'
import { openPdf } from '../pdf/opening.ts'
import { measurePage } from '../pdf/page-size.ts'
import { isGarbled } from '../pdf/plain-text.ts'
import type { TextPage } from '../pdf/text-layout.ts'
import { type PageReading, type ReadOptions, readPage } from './read-page.ts'

const PDF = 'application/pdf'
const MAX_PIXELS = 25_000_000

/** The pages of a document, or of an image. */
export function countDocumentPages({ type, facts }: InputFile): number {
  if (type === PDF) return facts.pages ?? 0
  return type === 'image/tiff' ? (facts.pages ?? 1) : 1
}

const MAX_OCR_PAGES = 500

export function selectDocumentPages(file: InputFile, range: string): number[] {
  return [...new Set(resolvePageRange(range, countDocumentPages(file)))]
}

export function checkOcrPages(pages: readonly number[]): void {
  if (pages.length > MAX_OCR_PAGES) throw new Problem('TOO_MANY_PAGES', { limit: MAX_OCR_PAGES, actual: pages.length })
}

/** The path of a PDF with the pages to read. */
export async function openDocument(
  file: InputFile,
  { password, ...tools }: Pick<Tools, 'qpdf' | 'sharp' | 'libpdf'> & { password?: string; out(name: string): string },
): Promise<string> {
  const to = tools.out('opened.pdf')
  if (file.type === PDF) return openPdf(file, { qpdf: tools.qpdf, password, to })
  return createImageDocument(file, { ...tools, maxPages: countDocumentPages(file), to })
}

/** A page with so much text is no scan, even if an image covers it. */
const MIN_DIGITAL_CHARACTERS = 50
const MIN_SCAN_COVERAGE = 0.5

/** The pages that have text of their own already: those that are not scans, and not only a stamp on one. */
export async function findTextPages(
  path: string,
  pages: readonly number[],
  { poppler }: Pick<Tools, 'poppler'>,
): Promise<Map<number, TextPage>> {
  const span = { first: Math.min(...pages), last: Math.max(...pages) }
  const [textPages, images] = await Promise.all([poppler.readTextBoxes(path, span), poppler.listImages(path, span)])
  const found = new Map<number, TextPage>()
  for (const page of pages) {
    const textPage = textPages[page - span.first]!
    const text = textPage.lines.map(line => line.text).join('\n')
    const characters = text.replaceAll(/\s/g, '').length
    const area = textPage.width * textPage.height
    const covered = images
      .filter(image => image.page === page && image.dpi > 0)
      .map(({ width, height, dpi }) => (width * height * 72 * 72) / (dpi * dpi) / area)
    const isScan = Math.max(0, ...covered) >= MIN_SCAN_COVERAGE
    if (characters >= (isScan ? MIN_DIGITAL_CHARACTERS : 1) && !isGarbled(text)) found.set(page, textPage)
  }
  return found
}

type ReadTools = Pick<Tools, 'libpdf' | 'pageRenderer' | 'tesseract' | 'sharp'> & {
  out(name: string): string
  progress(done: number, total: number, unit: string): void
}

const GRAY = { box: 'crop', isTransparent: false, isGray: true } as const

/** Pages that are rendered or read at a time. A rendering waits until a core is free to read it. */
const PAGES_AT_ONCE = 4

/** Reads pages by OCR, as many at a time as there are cores; the next pages are rendered meanwhile. */
export async function readPages(
  path: string,
  pages: readonly number[],
  { dpi, ...options }: ReadOptions & { dpi: number },
  tools: ReadTools,
): Promise<Map<number, PageReading>> {
  const boxes = await tools.libpdf.readPageBoxes(path)
  const sizes = pages.map(page => planRendering(page, boxes[page - 1], dpi))
  const readings = new Map<number, PageReading>()
  const rest = sizes.values()
  let hasFailed = false
  const readOneByOne = async () => {
    for (const size of rest) {
      if (hasFailed) return
      const renderings = await tools.pageRenderer.render(path, [size], GRAY)
      readings.set(size.page, await readPage({ ...size, path: renderings[0]! }, options, tools))
      await tools.pageRenderer.discard(renderings)
      tools.progress(readings.size, pages.length, 'pages')
    }
  }
  const readers = Array.from({ length: Math.min(PAGES_AT_ONCE, sizes.length) }, () =>
    readOneByOne().catch(error => {
      hasFailed = true
      throw error
    }),
  )
  await Promise.all(readers)
  return readings
}

type Boxes = Awaited<ReturnType<Tools['libpdf']['readPageBoxes']>>[number]

/** Huge pages are rendered with fewer pixels per inch. */
function planRendering(page: number, boxes: Boxes | undefined, dpi: number) {
  if (!boxes) throw new Problem('PDF_PARSE_FAILED', { page, try: '/v1/pdf/repair' })
  const [width, height] = measurePage(boxes).map(side => side / 72) as [number, number]
  const usedDpi = Math.min(dpi, Math.sqrt(MAX_PIXELS / (width * height)))
  const pixels = (inches: number) => Math.max(1, Math.round(inches * usedDpi))
  return { page, width: pixels(width), height: pixels(height), dpi: usedDpi }
}

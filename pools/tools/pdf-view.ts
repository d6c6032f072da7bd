import { type PDF, type PDFPage, PdfArray, PdfDict, PdfNumber, type PdfObject, PdfRef, PdfStream } from '@libpdf/core'
import { Problem } from '#kit'

/** `[a b c d e f]` of a PDF: x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = readonly [number, number, number, number, number, number]

/** A page as a reader sees it: upright, from the lower left corner of what is shown. */
export interface PageView {
  width: number
  height: number
  /** From what is seen, in points, to the page's own coordinates. */
  toPage: Matrix
}

export type Resolve = (ref: PdfRef) => PdfObject | null

/** A page by its number; readers may disagree on how many a damaged document has. */
export function pageAt(pdf: PDF, number: number): PDFPage {
  const page = pdf.getPage(number - 1)
  if (!page) throw new Problem('PDF_PARSE_FAILED', { page: number, try: '/v1/pdf/repair' })
  return page
}

export function viewOf(page: PDFPage, resolve: Resolve): PageView {
  const { x, y, width, height } = shownBox(page, resolve)
  const unit = page.dict.getNumber('UserUnit', resolve)?.value || 1
  const rotate = inherited(page, 'Rotate', resolve)
  const turn = (((rotate instanceof PdfNumber ? rotate.value : 0) % 360) + 360) % 360
  const turned: Matrix = TURNS[turn]?.({ x, y, width, height }) ?? [1, 0, 0, 1, x, y]
  const scaled = multiply([1 / unit, 0, 0, 1 / unit, 0, 0], turned)
  const isAcross = turn === 90 || turn === 270
  return { width: (isAcross ? height : width) * unit, height: (isAcross ? width : height) * unit, toPage: scaled }
}

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

const TURNS: Record<number, (box: Box) => Matrix> = {
  90: ({ x, y, width }) => [0, 1, -1, 0, x + width, y],
  180: ({ x, y, width, height }) => [-1, 0, 0, -1, x + width, y + height],
  270: ({ x, y, height }) => [0, -1, 1, 0, x, y + height],
}

/** What of a crop box lies outside the sheet is not shown. Either may stand in the tree above, with any corner first. */
function shownBox(page: PDFPage, resolve: Resolve): Box {
  const sheet = boxOf(inherited(page, 'MediaBox', resolve), resolve) ?? LETTER
  const crop = boxOf(inherited(page, 'CropBox', resolve), resolve) ?? sheet
  const left = Math.max(sheet.x, crop.x)
  const bottom = Math.max(sheet.y, crop.y)
  const width = Math.min(sheet.x + sheet.width, crop.x + crop.width) - left
  const height = Math.min(sheet.y + sheet.height, crop.y + crop.height) - bottom
  return width > 0 && height > 0 ? { x: left, y: bottom, width, height } : sheet
}

const LETTER: Box = { x: 0, y: 0, width: 612, height: 792 }

export function boxOf(value: PdfObject | undefined, resolve: Resolve): Box | undefined {
  if (!(value instanceof PdfArray) || value.length < 4) return undefined
  const sides = [0, 1, 2, 3].map(index => value.at(index, resolve))
  if (!sides.every(side => side instanceof PdfNumber)) return undefined
  const [x1, y1, x2, y2] = sides.map(side => side.value) as [number, number, number, number]
  const [width, height] = [Math.abs(x2 - x1), Math.abs(y2 - y1)]
  return width > 0 && height > 0 ? { x: Math.min(x1, x2), y: Math.min(y1, y2), width, height } : undefined
}

/** First `one`, then `other`. */
export function multiply(one: Matrix, other: Matrix): Matrix {
  const [a, b, c, d, e, f] = one
  const [k, l, m, n, o, p] = other
  return [a * k + b * m, a * l + b * n, c * k + d * m, c * l + d * n, e * k + f * m + o, e * l + f * n + p]
}

export function moved([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f]
}

export function inverse([a, b, c, d, e, f]: Matrix): Matrix | undefined {
  const area = a * d - b * c
  if (Math.abs(area) < 1e-12) return undefined
  return [d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area]
}

export function matrixText(matrix: Matrix): string {
  return matrix.map(value => String(Math.round(value * 1e5) / 1e5 || 0)).join(' ')
}

/** The streams of a page in order. */
export function contentsOf(page: PDFPage, resolve: Resolve): { item: PdfObject; stream: PdfStream }[] {
  const given = page.dict.get('Contents')
  const found = given instanceof PdfRef ? resolve(given) : given
  const items = found instanceof PdfArray ? found.toArray() : given ? [given] : []
  return items.flatMap(item => {
    const stream = item instanceof PdfRef ? resolve(item) : item
    return stream instanceof PdfStream ? [{ item, stream }] : []
  })
}

/** All of a page's content in one; streams end where no token may go on. */
export function contentBytes(page: PDFPage, resolve: Resolve): Buffer {
  const parts = contentsOf(page, resolve).flatMap(({ stream }) => [stream.getDecodedData(), Buffer.from('\n')])
  return Buffer.concat(parts)
}

/** What an entry of a page is, where the tree above may give it. */
export function inherited(page: PDFPage, name: string, resolve: Resolve): PdfObject | undefined {
  const seen = new Set<PdfDict>()
  for (let node: PdfDict | undefined = page.dict; node && !seen.has(node); node = node.getDict('Parent', resolve)) {
    seen.add(node)
    const value = node.get(name)
    if (value) return (value instanceof PdfRef ? resolve(value) : value) ?? undefined
  }
  return undefined
}

/** Resources of the page's own, so that what is added shows up nowhere else. */
export function ownResources(page: PDFPage, resolve: Resolve, kinds: readonly string[]): Record<string, PdfDict> {
  const present = inherited(page, 'Resources', resolve)
  const resources = new PdfDict(present instanceof PdfDict ? [...present] : [])
  const own: Record<string, PdfDict> = {}
  for (const kind of kinds) {
    own[kind] = new PdfDict([...(resources.getDict(kind, resolve) ?? [])])
    resources.set(kind, own[kind])
  }
  page.dict.set('Resources', resources)
  return own
}

export function numbers(...values: number[]): PdfArray {
  return PdfArray.of(...values.map(value => PdfNumber.of(Math.round(value * 1e4) / 1e4)))
}

import { type PDF, type PDFPage, PdfArray, PdfDict, PdfNumber, type PdfObject, PdfRef, PdfStream } from '@libpdf/core'
import { Problem } from '#kit'
import type { Resolve } from '../objects.ts'

/** PDF's `[a b c d e f]`: x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = readonly [number, number, number, number, number, number]

/** A page as displayed: upright, with the origin in the lower left corner of the visible area. */
export interface PageView {
  width: number
  height: number
  /** Maps points of the displayed page to the page's own coordinates. */
  toPage: Matrix
}

/** Gets a page by its number. Readers may find different numbers of pages in a damaged document. */
export function pageAt(pdf: PDF, number: number): PDFPage {
  const page = pdf.getPage(number - 1)
  if (!page) throw new Problem('PDF_PARSE_FAILED', { page: number, try: '/v1/pdf/repair' })
  return page
}

export function readPageView(page: PDFPage, resolve: Resolve): PageView {
  const { x, y, width, height } = readVisibleArea(page, resolve)
  const unit = page.dict.getNumber('UserUnit', resolve)?.value || 1
  const rotate = inheritedEntry(page, 'Rotate', resolve)
  const rotation = (((rotate instanceof PdfNumber ? rotate.value : 0) % 360) + 360) % 360
  const rotated: Matrix = ROTATIONS[rotation]?.({ x, y, width, height }) ?? [1, 0, 0, 1, x, y]
  const scaled = multiplyMatrices([1 / unit, 0, 0, 1 / unit, 0, 0], rotated)
  const isSideways = rotation === 90 || rotation === 270
  return { width: (isSideways ? height : width) * unit, height: (isSideways ? width : height) * unit, toPage: scaled }
}

interface PageArea {
  x: number
  y: number
  width: number
  height: number
}

const ROTATIONS: Record<number, (box: PageArea) => Matrix> = {
  90: ({ x, y, width }) => [0, 1, -1, 0, x + width, y],
  180: ({ x, y, width, height }) => [-1, 0, 0, -1, x + width, y + height],
  270: ({ x, y, height }) => [0, -1, 1, 0, x, y + height],
}

/** The part of the crop box inside the media box. Either box may be inherited and may start with any corner. */
function readVisibleArea(page: PDFPage, resolve: Resolve): PageArea {
  const media = readArea(inheritedEntry(page, 'MediaBox', resolve), resolve) ?? US_LETTER
  const crop = readArea(inheritedEntry(page, 'CropBox', resolve), resolve) ?? media
  const left = Math.max(media.x, crop.x)
  const bottom = Math.max(media.y, crop.y)
  const width = Math.min(media.x + media.width, crop.x + crop.width) - left
  const height = Math.min(media.y + media.height, crop.y + crop.height) - bottom
  return width > 0 && height > 0 ? { x: left, y: bottom, width, height } : media
}

const US_LETTER: PageArea = { x: 0, y: 0, width: 612, height: 792 }

export function readArea(value: PdfObject | undefined, resolve: Resolve): PageArea | undefined {
  if (!(value instanceof PdfArray) || value.length < 4) return undefined
  const sides = [0, 1, 2, 3].map(index => value.at(index, resolve))
  if (!sides.every(side => side instanceof PdfNumber)) return undefined
  const [x1, y1, x2, y2] = sides.map(side => side.value) as [number, number, number, number]
  const [width, height] = [Math.abs(x2 - x1), Math.abs(y2 - y1)]
  return width > 0 && height > 0 ? { x: Math.min(x1, x2), y: Math.min(y1, y2), width, height } : undefined
}

/** Combines two transformations, `first` before `second`. */
export function multiplyMatrices(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first
  const [k, l, m, n, o, p] = second
  return [a * k + b * m, a * l + b * n, c * k + d * m, c * l + d * n, e * k + f * m + o, e * l + f * n + p]
}

export function transformPoint([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f]
}

/** The box around an area, given by its corners, after a transformation. */
export function transformBox(
  [left, bottom, right, top]: readonly [number, number, number, number],
  matrix: Matrix,
): PdfArray {
  const [x1, y1] = transformPoint(matrix, left, bottom)
  const [x2, y2] = transformPoint(matrix, right, top)
  return numberArray(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2))
}

export function invertMatrix([a, b, c, d, e, f]: Matrix): Matrix | undefined {
  const determinant = a * d - b * c
  if (Math.abs(determinant) < 1e-12) return undefined
  return [
    d / determinant,
    -b / determinant,
    -c / determinant,
    a / determinant,
    (c * f - d * e) / determinant,
    (b * e - a * f) / determinant,
  ]
}

export function formatMatrix(matrix: Matrix): string {
  return matrix.map(value => String(Math.round(value * 1e5) / 1e5 || 0)).join(' ')
}

export function listContentStreams(page: PDFPage, resolve: Resolve): { item: PdfObject; stream: PdfStream }[] {
  const given = page.dict.get('Contents')
  const found = given instanceof PdfRef ? resolve(given) : given
  const items = found instanceof PdfArray ? found.toArray() : given ? [given] : []
  return items.flatMap(item => {
    const stream = item instanceof PdfRef ? resolve(item) : item
    return stream instanceof PdfStream ? [{ item, stream }] : []
  })
}

/** The whole content of a page. A token never continues in the next stream, so a line break may separate them. */
export function readContent(page: PDFPage, resolve: Resolve): Buffer {
  const parts = listContentStreams(page, resolve).flatMap(({ stream }) => [stream.getDecodedData(), Buffer.from('\n')])
  return Buffer.concat(parts)
}

/** An entry of a page, or of the nearest node above it in the page tree. */
export function inheritedEntry(page: PDFPage, name: string, resolve: Resolve): PdfObject | undefined {
  const seen = new Set<PdfDict>()
  for (let node: PdfDict | undefined = page.dict; node && !seen.has(node); node = node.getDict('Parent', resolve)) {
    seen.add(node)
    const value = node.get(name)
    if (value) return (value instanceof PdfRef ? resolve(value) : value) ?? undefined
  }
  return undefined
}

/** Gives the page its own copy of its resources, so that additions do not show up on other pages. */
export function copyResources(page: PDFPage, resolve: Resolve, kinds: readonly string[]): Record<string, PdfDict> {
  const present = inheritedEntry(page, 'Resources', resolve)
  const resources = new PdfDict(present instanceof PdfDict ? [...present] : [])
  const copies: Record<string, PdfDict> = {}
  for (const kind of kinds) {
    copies[kind] = new PdfDict([...(resources.getDict(kind, resolve) ?? [])])
    resources.set(kind, copies[kind])
  }
  page.dict.set('Resources', resources)
  return copies
}

export function numberArray(...values: number[]): PdfArray {
  return PdfArray.of(...values.map(value => PdfNumber.of(Math.round(value * 1e4) / 1e4)))
}

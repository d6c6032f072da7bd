import { readFile } from 'node:fs/promises'
import {
  PDF,
  type PDFPage,
  PdfArray,
  type PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
} from '@libpdf/core'
import { formatNumber } from '../content/embedded-fonts.ts'
import {
  copyResources,
  formatMatrix,
  invertMatrix,
  listContentStreams,
  type Matrix,
  multiplyMatrices,
  numberArray,
  pageAt,
  readArea,
  readContent,
  readPageView,
  transformBox,
  transformPoint,
} from '../content/page-view.ts'
import { countOpenStates } from '../content/stream.ts'
import { type Resolve, walkDicts } from '../objects.ts'

export interface ResizePlan {
  /** Points of the page as displayed. */
  resized: readonly { page: number; size: readonly [width: number, height: number] }[]
  margin: number
}

/** Scales pages to new sizes, with their annotations and whatever points to a place on them. */
export async function resizePages([file]: string[], { resized, margin }: ResizePlan): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const matrices = new Map<number, Matrix>()
  for (const { page: number, size } of resized) {
    const page = pageAt(pdf, number)
    const matrix = resizePage(pdf, page, { size, margin })
    for (const annotation of page.dict.getArray('Annots', resolve) ?? []) moveAnnotation(annotation, matrix, resolve)
    matrices.set(page.ref.objectNumber, matrix)
  }
  moveTargets(pdf, matrices, resolve)
  return { bytes: await pdf.save({ incremental: true }) }
}

const OTHER_BOXES = ['ArtBox', 'BleedBox', 'TrimBox']

/** Returns the matrix from the old to the new coordinates of the page. */
function resizePage(
  pdf: PDF,
  page: PDFPage,
  { size: [width, height], margin }: { size: readonly [number, number]; margin: number },
): Matrix {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const old = readPageView(page, resolve)
  const visible = transformBox([0, 0, old.width, old.height], old.toPage)
  const scale = Math.min((width - 2 * margin) / old.width, (height - 2 * margin) / old.height)
  const placed: Matrix = [
    ...([scale, 0, 0, scale] as const),
    (width - old.width * scale) / 2,
    (height - old.height * scale) / 2,
  ]
  const isSideways = Math.abs(old.toPage[1]) > Math.abs(old.toPage[0])
  const box = isSideways ? numberArray(0, 0, height, width) : numberArray(0, 0, width, height)
  page.dict.set('MediaBox', box)
  page.dict.set('CropBox', box)
  page.dict.delete('UserUnit')
  page.dict.delete('Thumb')
  const matrix = multiplyMatrices(
    multiplyMatrices(invertMatrix(old.toPage)!, placed),
    readPageView(page, resolve).toPage,
  )
  for (const name of OTHER_BOXES) {
    const area = readArea(page.dict.get(name, resolve), resolve)
    if (area) page.dict.set(name, transformBox([area.x, area.y, area.x + area.width, area.y + area.height], matrix))
  }
  transformContent(pdf, page, { matrix, visible })
  return matrix
}

function transformContent(pdf: PDF, page: PDFPage, { matrix, visible }: { matrix: Matrix; visible: PdfArray }): void {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const toStream = (text: string) => pdf.register(new PdfStream([], Buffer.from(text, 'latin1')))
  const [left, bottom, right, top] = numbersOf(visible)
  const clip = `${[left!, bottom!, right! - left!, top! - bottom!].map(formatNumber).join(' ')} re W n`
  const before = listContentStreams(page, resolve).map(({ item }) => item)
  const closing = 'Q '.repeat(1 + countOpenStates(readContent(page, resolve)))
  const opening = toStream(`q ${formatMatrix(matrix)} cm ${clip}\n`)
  page.dict.set('Contents', PdfArray.of(opening, ...before, toStream(`\n${closing}\n`)))
  const { Pattern: patterns } = copyResources(page, resolve, ['Pattern'])
  for (const [name, value] of [...patterns!]) {
    const pattern = value instanceof PdfRef ? resolve(value) : value
    if (isDict(pattern)) patterns!.set(name, pdf.register(transformPattern(pattern, matrix, resolve)))
  }
}

/** The matrix of a pattern starts from the page, whatever matrix its content sets. */
function transformPattern(pattern: PdfDict, matrix: Matrix, resolve: Resolve): PdfDict {
  const copy = pattern instanceof PdfStream ? new PdfStream([...pattern], pattern.data) : pattern.clone()
  const own = pattern.getArray('Matrix', resolve)
  const values = own ? numbersOf(own, resolve) : [1, 0, 0, 1, 0, 0]
  const moved = multiplyMatrices(values as unknown as Matrix, matrix)
  copy.set('Matrix', PdfArray.of(...moved.map(value => PdfNumber.of(value))))
  return copy
}

/** Entries of annotations that are lists of points, or lists of such lists. */
const POINT_ENTRIES = ['Rect', 'QuadPoints', 'InkList', 'Vertices', 'L', 'CL']

function moveAnnotation(item: PdfObject, matrix: Matrix, resolve: Resolve): void {
  const annotation = item instanceof PdfRef ? resolve(item) : item
  if (!isDict(annotation)) return
  for (const name of POINT_ENTRIES) {
    const points = annotation.getArray(name, resolve)
    if (points) annotation.set(name, movePoints(points, matrix, resolve))
  }
}

function movePoints(points: PdfArray, matrix: Matrix, resolve: Resolve): PdfArray {
  const items = points.toArray().map(item => (item instanceof PdfRef ? resolve(item) : item))
  if (items.some(item => item instanceof PdfArray))
    return PdfArray.of(...items.map(item => (item instanceof PdfArray ? movePoints(item, matrix, resolve) : item!)))
  const values = numbersOf(points, resolve)
  const moved = values.map((value, index) =>
    index % 2 === 0
      ? transformPoint(matrix, value, values[index + 1] ?? 0)[0]
      : transformPoint(matrix, values[index - 1]!, value)[1],
  )
  return numberArray(...moved)
}

/** Where the coordinates stand in a target, behind the page and the name of its kind: across and up. */
const TARGET_COORDINATES: Record<string, readonly ('x' | 'y')[]> = {
  XYZ: ['x', 'y'],
  FitH: ['y'],
  FitBH: ['y'],
  FitV: ['x'],
  FitBV: ['x'],
  FitR: ['x', 'y', 'x', 'y'],
}

function moveTargets(pdf: PDF, matrices: ReadonlyMap<number, Matrix>, resolve: Resolve): void {
  const moved = new Set<PdfArray>()
  for (const dict of walkDicts(pdf.getCatalog(), resolve)) {
    for (const array of [...dict].flatMap(([, value]) => [...listArrays(value, resolve)])) {
      const matrix = moved.has(array) ? undefined : targetMatrix(array, matrices)
      if (matrix) moveTarget(array, matrix)
      moved.add(array)
    }
  }
}

const MAX_ARRAY_DEPTH = 8

/** The array itself and those in it. Named targets stand in an array, behind their names. */
function* listArrays(value: PdfObject, resolve: Resolve, depth = 0): Generator<PdfArray> {
  const array = value instanceof PdfRef ? resolve(value) : value
  if (!(array instanceof PdfArray) || depth > MAX_ARRAY_DEPTH) return
  yield array
  for (const item of array) yield* listArrays(item, resolve, depth + 1)
}

function targetMatrix(target: PdfArray, matrices: ReadonlyMap<number, Matrix>): Matrix | undefined {
  const [page, kind] = [target.at(0), target.at(1)]
  return page instanceof PdfRef && kind instanceof PdfName ? matrices.get(page.objectNumber) : undefined
}

function moveTarget(target: PdfArray, matrix: Matrix): void {
  const axes = TARGET_COORDINATES[(target.at(1) as PdfName).value] ?? []
  for (const [index, axis] of axes.entries()) {
    const value = target.at(index + 2)
    if (!(value instanceof PdfNumber)) continue
    const moved = axis === 'x' ? matrix[0] * value.value + matrix[4] : matrix[3] * value.value + matrix[5]
    target.set(index + 2, PdfNumber.of(Math.round(moved * 1000) / 1000))
  }
}

function numbersOf(array: PdfArray, resolve?: Resolve): number[] {
  return array.toArray().map((_, index) => {
    const value = array.at(index, resolve!)
    return value instanceof PdfNumber ? value.value : 0
  })
}

function isDict(value: PdfObject | null | undefined): value is PdfDict {
  return value?.type === 'dict' || value?.type === 'stream'
}

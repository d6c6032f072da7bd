import { readFile } from 'node:fs/promises'
import { PDF, type PDFPage, PdfArray, PdfDict, type PdfObject, PdfStream } from '@libpdf/core'
import { type Rect, rectsOverlap } from '../../../../tasks/formats/geometry/rect.ts'
import type { PageRegion } from '../../../../tasks/formats/pdf/document.ts'
import type { TextWord } from '../../../../tasks/formats/pdf/text-layout.ts'
import { shapeLine } from '../../fonts/shaping.ts'
import { FontEmbedder, formatNumber } from '../content/embedded-fonts.ts'
import { embedImage } from '../content/embedded-images.ts'
import {
  formatMatrix,
  inheritedEntry,
  invertMatrix,
  type Matrix,
  multiplyMatrices,
  type PageView,
  pageAt,
  readContent,
  readPageView,
} from '../content/page-view.ts'
import { countOpenStates } from '../content/stream.ts'
import { readRect } from '../forms/fields.ts'
import { type Resolve, resolveDict } from '../objects.ts'
import { formatColor } from '../pages/stamps.ts'
import { boundingBox, transformRect } from './boxes.ts'
import { compileTerms, type SearchTerms } from './matches.ts'
import { cleanContent } from './operators.ts'
import { dropAppearances, wipeStrings } from './strings.ts'

// Decision 0061: verify every redaction or refuse it.

export interface RedactionPlan {
  regions: PageRegion[]
  terms: SearchTerms
  /** The text inside the regions. Alternative texts that repeat it are removed too. */
  coveredTexts: string[]
  /** Of the boxes. Left out: only text is removed, which leaves no mark; what cannot be removed is covered in white. */
  color?: string
  removeMetadata: boolean
  removeAttachments: boolean
  /** Pages to replace with images even if their content can be cleaned. */
  rasterPages: readonly number[]
}

export interface Redacted {
  bytes: Uint8Array
  /** Pages that must be replaced with images: their content is still there, below the painted boxes. */
  uncertainPages: number[]
  /** How many strings outside the page content were emptied. */
  wiped: number
  /** Where notes, links and field values were removed as a whole. */
  cleared: PageRegion[]
}

export async function redact([file]: string[], plan: RedactionPlan): Promise<Redacted> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve: Resolve = ref => pdf.getObject(ref)
  const uncertainPages: number[] = []
  const cleared: PageRegion[] = []
  for (const number of new Set(plan.regions.map(({ page }) => page))) {
    const page = pageAt(pdf, number)
    const boxes = plan.regions.filter(region => region.page === number).map(({ box }) => box)
    const view = readPageView(page, resolve)
    const isClean = redactPage(pdf, page, view, boxes, plan)
    if (!isClean) uncertainPages.push(number)
    if (plan.color !== undefined)
      cleared.push(...clearAnnotations(pdf, page, topLeftMatrix(view), boxes).map(box => ({ page: number, box })))
    for (const name of ['Thumb', 'PieceInfo']) page.dict.delete(name)
  }
  if (plan.terms.texts.length + plan.terms.patterns.length > 0) dropHiddenAppearances(pdf, resolve)
  const wiped = wipeStrings(pdf, compileTerms(plan.terms), plan.coveredTexts)
  if (plan.removeMetadata) dropMetadata(pdf)
  if (plan.removeAttachments) dropAttachments(pdf, resolve)
  return { bytes: await pdf.save({ incremental: true }), uncertainPages, wiped, cleared }
}

/** Maps the page's coordinates to points from the top left corner of the page as displayed. */
function topLeftMatrix({ toPage, height }: PageView): Matrix {
  return multiplyMatrices(invertMatrix(toPage)!, [1, 0, 0, -1, 0, height])
}

const FAR_POINTS = 1e6

function outsideRects({ width, height }: PageView): Rect[] {
  return [
    [-FAR_POINTS, -FAR_POINTS, FAR_POINTS, 0],
    [-FAR_POINTS, height, FAR_POINTS, FAR_POINTS],
    [-FAR_POINTS, -FAR_POINTS, 0, FAR_POINTS],
    [width, -FAR_POINTS, FAR_POINTS, FAR_POINTS],
  ]
}

/** Writes a copy with every layer visible: hidden text must be found and removed too. */
export async function showAllLayers([file]: string[]): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve: Resolve = ref => pdf.getObject(ref)
  const defaultConfiguration = pdf.getCatalog().getDict('OCProperties', resolve)?.getDict('D', resolve)
  for (const name of ['OFF', 'BaseState', 'AS']) defaultConfiguration?.delete(name)
  return { bytes: await pdf.save({ incremental: true }) }
}

const MAX_FORMS = 2000

/** Removes what lies in the boxes and paints them over. Returns whether all of it could be removed. */
function redactPage(pdf: PDF, page: PDFPage, view: PageView, boxes: readonly Rect[], plan: RedactionPlan): boolean {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const content = readContent(page, resolve)
  const present = inheritedEntry(page, 'Resources', resolve)
  const resources = present instanceof PdfDict ? present : new PdfDict()
  const context = {
    boxes,
    onlyText: plan.color === undefined,
    offPage: plan.color === undefined ? [] : outsideRects(view),
    toView: topLeftMatrix(view),
    resolve,
    register: (stream: PdfStream) => pdf.register(stream),
    depth: 0,
    budget: { forms: MAX_FORMS },
  }
  const cleaned = cleanContent(content, resources, context)
  const isClean = !cleaned.isUncertain && !plan.rasterPages.includes(page.index + 1)
  const newContent = isClean ? cleaned.bytes : content
  const color = plan.color ?? (isClean ? undefined : '#ffffff')
  const shapes = color === undefined ? '' : `/Artifact BMC ${renderBoxes(boxes, view, color)} EMC\n`
  const closing = 'Q '.repeat(1 + countOpenStates(newContent))
  const pageContent = Buffer.concat([Buffer.from('q\n'), newContent, Buffer.from(`\n${closing}\n${shapes}`)])
  page.dict.set('Contents', pdf.register(new PdfStream([], pageContent)))
  if (isClean) page.dict.set('Resources', cleaned.resources)
  return isClean
}

function renderBoxes(boxes: readonly Rect[], view: PageView, color: string): string {
  const rectangles = boxes.map(([left, top, right, bottom]) =>
    [left, view.height - bottom, right - left, bottom - top].map(formatNumber).join(' '),
  )
  return `q ${formatMatrix(view.toPage)} cm ${formatColor(color)} rg ${rectangles.map(box => `${box} re f`).join(' ')} Q`
}

const ANNOTATION_CONTENT_KEYS = [
  'Contents',
  'RC',
  'A',
  'AA',
  'AP',
  'T',
  'Subj',
  'V',
  'URI',
  'QuadPoints',
  'Popup',
  'FS',
]
const FIELD_VALUE_KEYS = ['V', 'DV', 'RV', 'I', 'TU']

const HIDDEN_FLAG = 2
const NO_VIEW_FLAG = 32

/** Removes the appearances of hidden annotations: text extraction does not read them, so they cannot be verified. */
function dropHiddenAppearances(pdf: PDF, resolve: Resolve): void {
  for (const page of pdf.getPages())
    for (const item of page.dict.getArray('Annots', resolve) ?? []) {
      const annotation = resolveDict(item, resolve)
      const flags = annotation?.getNumber('F', resolve)?.value ?? 0
      if (flags & (HIDDEN_FLAG | NO_VIEW_FLAG)) annotation!.delete('AP')
    }
}

/** Removes notes and links in the boxes; fields stay and lose their values. */
function clearAnnotations(pdf: PDF, page: PDFPage, toView: Matrix, boxes: readonly Rect[]): Rect[] {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const cleared: Rect[] = []
  const list = page.dict.getArray('Annots', resolve)
  if (!list) return []
  const kept = list.toArray().filter(item => {
    const annotation = resolveDict(item, resolve)
    const rect = annotation && readRect(annotation, resolve)
    if (!annotation || !rect) return true
    const box = boundingBox(transformRect(toView, rect))
    if (!boxes.some(other => rectsOverlap(box, other))) return true
    cleared.push(box)
    const isField = annotation.getName('Subtype', resolve)?.value === 'Widget'
    if (isField) clearField(annotation, pdf, resolve)
    else for (const name of ANNOTATION_CONTENT_KEYS) annotation.delete(name)
    return isField
  })
  page.dict.set('Annots', PdfArray.of(...kept))
  return cleared
}

function clearField(widget: PdfDict, pdf: PDF, resolve: Resolve): void {
  for (let field: PdfDict | undefined = widget, depth = 0; field && depth < 8; depth += 1) {
    for (const name of FIELD_VALUE_KEYS) field.delete(name)
    dropAppearances(field, pdf)
    field = field.getDict('Parent', resolve)
  }
  pdf.getCatalog().getDict('AcroForm', resolve)?.delete('XFA')
}

function dropMetadata(pdf: PDF): void {
  pdf.context.info.trailer.delete('Info')
  for (const name of ['Metadata', 'PieceInfo']) pdf.getCatalog().delete(name)
  for (const page of pdf.getPages()) for (const name of ['Metadata', 'PieceInfo', 'Thumb']) page.dict.delete(name)
}

function dropAttachments(pdf: PDF, resolve: Resolve): void {
  const catalog = pdf.getCatalog()
  catalog.getDict('Names', resolve)?.delete('EmbeddedFiles')
  for (const name of ['AF', 'Collection']) catalog.delete(name)
  const isFile = (item: PdfObject) =>
    resolveDict(item, resolve)?.getName('Subtype', resolve)?.value === 'FileAttachment'
  for (const page of pdf.getPages()) {
    const list = page.dict.getArray('Annots', resolve)
    for (const item of list?.toArray().filter(isFile) ?? []) resolveDict(item, resolve)!.delete('FS')
    if (list) page.dict.set('Annots', PdfArray.of(...list.toArray().filter(item => !isFile(item))))
    page.dict.delete('AF')
  }
}

export interface ReplacementPlan {
  /** For each image: its page, and the words that stay searchable there. */
  pages: readonly { page: number; words: readonly TextWord[] }[]
}

/** Replaces pages with images, below an invisible layer of the remaining words, so that they can be searched. */
export async function replaceWithImages(
  [file, ...images]: string[],
  { pages }: ReplacementPlan,
): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve: Resolve = ref => pdf.getObject(ref)
  const embedder = new FontEmbedder(pdf)
  for (const [index, { page: number, words }] of pages.entries()) {
    const page = pageAt(pdf, number)
    const view = readPageView(page, resolve)
    const { ref } = embedImage(pdf, await readFile(images[index]!))
    const fonts = new PdfDict()
    const textLayer = words.map(word => renderInvisibleWord(word, view, embedder, fonts)).join('')
    const drawing = `q ${formatNumber(view.width)} 0 0 ${formatNumber(view.height)} 0 0 cm /Image Do Q`
    const content = `q ${formatMatrix(view.toPage)} cm\n${drawing}\nBT 3 Tr\n${textLayer}ET Q`
    page.dict.set('Contents', pdf.register(new PdfStream([], Buffer.from(content, 'latin1'))))
    page.dict.set('Resources', PdfDict.of({ XObject: PdfDict.of({ Image: ref }), Font: fonts }))
    page.dict.delete('Group')
    page.dict.delete('StructParents')
  }
  embedder.embed()
  return { bytes: await pdf.save({ incremental: true }) }
}

function renderInvisibleWord({ text, box }: TextWord, view: PageView, embedder: FontEmbedder, fonts: PdfDict): string {
  const [left, top, right, bottom] = box
  const size = Math.max(1, (bottom - top) * 0.8)
  try {
    const line = shapeLine(text, { family: 'sans', bold: false })
    const horizontalScale = line.width > 0 ? ((right - left) / (line.width * size)) * 100 : 100
    const position = `1 0 0 1 ${formatNumber(left)} ${formatNumber(view.height - bottom + size * 0.2)} Tm ${formatNumber(horizontalScale)} Tz`
    return `${position}\n${embedder.renderLine(line, size, fonts)}\n`
  } catch {
    // A word that no font covers is still visible in the image; it just cannot be searched.
    return ''
  }
}

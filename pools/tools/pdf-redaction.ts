import { readFile } from 'node:fs/promises'
import { PDF, type PDFPage, PdfArray, PdfDict, type PdfObject, PdfStream } from '@libpdf/core'
import { embedPicture } from './embedded-pictures.ts'
import { setLine } from './font-shaping.ts'
import { dictOf, rectOf } from './form-fields.ts'
import { openStates } from './pdf-content.ts'
import { figure, Lettering } from './pdf-lettering.ts'
import { colorOf } from './pdf-stamps.ts'
import {
  contentBytes,
  inherited,
  inverse,
  type Matrix,
  matrixText,
  multiply,
  type PageView,
  pageAt,
  type Resolve,
  viewOf,
} from './pdf-view.ts'
import type { LaidWord } from './poppler-boxes.ts'
import { type Box, boundsOf, quad, touches } from './redact-boxes.ts'
import { cleanContent } from './redact-operators.ts'
import { expressionsOf, type FoundPlace, type Needles } from './redact-places.ts'
import { undraw, wipeStrings } from './redact-strings.ts'

export interface RedactionPlan {
  places: FoundPlace[]
  needles: Needles
  /** What stood in the places, for texts that repeat what a page shows. */
  covered: string[]
  color: string
  removeMetadata: boolean
  removeAttachments: boolean
  /** Pages that are to become pictures whatever they hold. */
  asPictures: readonly number[]
}

export interface Redacted {
  bytes: Uint8Array
  /** Pages of which only a picture is safe: their content is still there, below the boxes. */
  unsure: number[]
  /** Strings outside the pages that were emptied. */
  wiped: number
  /** Where notes, links and values of fields were taken away whole. */
  cleared: FoundPlace[]
}

export async function redact([file]: string[], plan: RedactionPlan): Promise<Redacted> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve: Resolve = ref => pdf.getObject(ref)
  const unsure: number[] = []
  const cleared: FoundPlace[] = []
  for (const number of new Set(plan.places.map(({ page }) => page))) {
    const page = pageAt(pdf, number)
    const boxes = plan.places.filter(place => place.page === number).map(({ box }) => box)
    const view = viewOf(page, resolve)
    const isSure = blacken(pdf, page, view, boxes, plan)
    if (!isSure) unsure.push(number)
    cleared.push(...clearAnnotations(pdf, page, toTopLeft(view), boxes).map(box => ({ page: number, box })))
    for (const name of ['Thumb', 'PieceInfo']) page.dict.delete(name)
  }
  if (plan.needles.texts.length + plan.needles.patterns.length > 0) undrawHidden(pdf, resolve)
  const wiped = wipeStrings(pdf, expressionsOf(plan.needles), plan.covered)
  if (plan.removeMetadata) dropMetadata(pdf)
  if (plan.removeAttachments) dropAttachments(pdf, resolve)
  return { bytes: await pdf.save({ incremental: true }), unsure, wiped, cleared }
}

/** From a page's own space to what is seen, from the top left corner. */
function toTopLeft({ toPage, height }: PageView): Matrix {
  return multiply(inverse(toPage)!, [1, 0, 0, -1, 0, height])
}

const FAR = 1e6

function around({ width, height }: PageView): Box[] {
  return [
    [-FAR, -FAR, FAR, 0],
    [-FAR, height, FAR, FAR],
    [-FAR, -FAR, 0, FAR],
    [width, -FAR, FAR, FAR],
  ]
}

/** A copy to be read, of which every layer is shown: what is hidden is to go too. */
export async function withLayersShown([file]: string[]): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve: Resolve = ref => pdf.getObject(ref)
  const usual = pdf.getCatalog().getDict('OCProperties', resolve)?.getDict('D', resolve)
  for (const name of ['OFF', 'BaseState', 'AS']) usual?.delete(name)
  return { bytes: await pdf.save({ incremental: true }) }
}

const MOST_FORMS = 2000

/** Takes out what lies in the boxes and paints them over. */
function blacken(pdf: PDF, page: PDFPage, view: PageView, boxes: readonly Box[], plan: RedactionPlan): boolean {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const content = contentBytes(page, resolve)
  const present = inherited(page, 'Resources', resolve)
  const resources = present instanceof PdfDict ? present : new PdfDict()
  const cleaning = {
    boxes,
    offPage: around(view),
    toView: toTopLeft(view),
    resolve,
    register: (stream: PdfStream) => pdf.register(stream),
    depth: 0,
    budget: { forms: MOST_FORMS },
  }
  const cleaned = cleanContent(content, resources, cleaning)
  const isSure = !cleaned.isUnsure && !plan.asPictures.includes(page.index + 1)
  const inner = isSure ? cleaned.bytes : content
  const painted = boxes.map(([left, top, right, bottom]) =>
    [left, view.height - bottom, right - left, bottom - top].map(figure).join(' '),
  )
  const shapes = `q ${matrixText(view.toPage)} cm ${colorOf(plan.color)} rg ${painted.map(box => `${box} re f`).join(' ')} Q`
  const closing = 'Q '.repeat(1 + openStates(inner))
  const whole = Buffer.concat([Buffer.from('q\n'), inner, Buffer.from(`\n${closing}\n/Artifact BMC ${shapes} EMC\n`)])
  page.dict.set('Contents', pdf.register(new PdfStream([], whole)))
  if (isSure) page.dict.set('Resources', cleaned.resources)
  return isSure
}

const TOLD_BY_NOTES = ['Contents', 'RC', 'A', 'AA', 'AP', 'T', 'Subj', 'V', 'URI', 'QuadPoints', 'Popup', 'FS']
const TOLD_BY_FIELDS = ['V', 'DV', 'RV', 'I', 'TU']

const HIDDEN = 2
const NO_VIEW = 32

/** The looks of notes and fields that nobody is shown: no reader tells what they say. */
function undrawHidden(pdf: PDF, resolve: Resolve): void {
  for (const page of pdf.getPages())
    for (const item of page.dict.getArray('Annots', resolve) ?? []) {
      const annotation = dictOf(item, resolve)
      const flags = annotation?.getNumber('F', resolve)?.value ?? 0
      if (flags & (HIDDEN | NO_VIEW)) annotation!.delete('AP')
    }
}

/** Notes and links in the boxes go; fields stay and lose what they hold. */
function clearAnnotations(pdf: PDF, page: PDFPage, toView: Matrix, boxes: readonly Box[]): Box[] {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const cleared: Box[] = []
  const list = page.dict.getArray('Annots', resolve)
  if (!list) return []
  const kept = list.toArray().filter(item => {
    const annotation = dictOf(item, resolve)
    const rect = annotation && rectOf(annotation, resolve)
    if (!annotation || !rect) return true
    const box = boundsOf(quad(toView, rect))
    if (!boxes.some(other => touches(box, other))) return true
    cleared.push(box)
    const isField = annotation.getName('Subtype', resolve)?.value === 'Widget'
    if (isField) clearField(annotation, pdf, resolve)
    else for (const name of TOLD_BY_NOTES) annotation.delete(name)
    return isField
  })
  page.dict.set('Annots', PdfArray.of(...kept))
  return cleared
}

function clearField(widget: PdfDict, pdf: PDF, resolve: Resolve): void {
  for (let field: PdfDict | undefined = widget, depth = 0; field && depth < 8; depth += 1) {
    for (const name of TOLD_BY_FIELDS) field.delete(name)
    undraw(field, pdf)
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
  const isFile = (item: PdfObject) => dictOf(item, resolve)?.getName('Subtype', resolve)?.value === 'FileAttachment'
  for (const page of pdf.getPages()) {
    const list = page.dict.getArray('Annots', resolve)
    for (const item of list?.toArray().filter(isFile) ?? []) dictOf(item, resolve)!.delete('FS')
    if (list) page.dict.set('Annots', PdfArray.of(...list.toArray().filter(item => !isFile(item))))
    page.dict.delete('AF')
  }
}

export interface PicturePlan {
  /** For each picture: its page, and the words that may still be read there. */
  pages: { page: number; words: LaidWord[] }[]
}

/** Puts pictures in place of pages, with the words that stay invisible above them, so that they can be searched. */
export async function withPictures(
  [file, ...pictures]: string[],
  { pages }: PicturePlan,
): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve: Resolve = ref => pdf.getObject(ref)
  const lettering = new Lettering(pdf)
  for (const [index, { page: number, words }] of pages.entries()) {
    const page = pageAt(pdf, number)
    const view = viewOf(page, resolve)
    const { ref } = embedPicture(pdf, await readFile(pictures[index]!))
    const fonts = new PdfDict()
    const shown = words.map(word => invisible(word, view, lettering, fonts)).join('')
    const picture = `q ${figure(view.width)} 0 0 ${figure(view.height)} 0 0 cm /Picture Do Q`
    const content = `q ${matrixText(view.toPage)} cm\n${picture}\nBT 3 Tr\n${shown}ET Q`
    page.dict.set('Contents', pdf.register(new PdfStream([], Buffer.from(content, 'latin1'))))
    page.dict.set('Resources', PdfDict.of({ XObject: PdfDict.of({ Picture: ref }), Font: fonts }))
    page.dict.delete('Group')
    page.dict.delete('StructParents')
  }
  lettering.embed()
  return { bytes: await pdf.save({ incremental: true }) }
}

function invisible({ text, box }: LaidWord, view: PageView, lettering: Lettering, fonts: PdfDict): string {
  const [left, top, right, bottom] = box
  const size = Math.max(1, (bottom - top) * 0.8)
  try {
    const line = setLine(text, { family: 'sans', bold: false })
    const stretch = line.width > 0 ? ((right - left) / (line.width * size)) * 100 : 100
    const place = `1 0 0 1 ${figure(left)} ${figure(view.height - bottom + size * 0.2)} Tm ${figure(stretch)} Tz`
    return `${place}\n${lettering.show(line, size, fonts)}\n`
  } catch {
    // A word in letters that no font has is seen in the picture and only not found there.
    return ''
  }
}

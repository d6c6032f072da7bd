import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfDict, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core'

/** One page as paper: its boxes in points, left, bottom, width and height, before it is turned. */
export interface Sheet {
  media: Frame
  crop: Frame
  rotate: number
  userUnit: number
}

export type Frame = [left: number, bottom: number, width: number, height: number]

export async function sheets([file]: string[]): Promise<Sheet[]> {
  const pdf = await PDF.load(await readFile(file!))
  return sheetsOf(pdf)
}

export function sheetsOf(pdf: PDF): Sheet[] {
  return pdf.getPages().map(({ dict }) => sheetOf(dict, ref => pdf.getObject(ref)))
}

type Resolve = (ref: PdfRef) => PdfObject | null

/** A page without a box of its own has that of the branch it hangs on; without any, paper is as large as a letter. */
export function sheetOf(page: PdfDict, resolve: Resolve): Sheet {
  const media = frameOf(inherited(page, 'MediaBox', resolve), resolve) ?? LETTER
  const crop = frameOf(inherited(page, 'CropBox', resolve), resolve) ?? media
  const turn = numberOf(inherited(page, 'Rotate', resolve)) ?? 0
  const unit = numberOf(page.get('UserUnit', resolve)) ?? 1
  const isQuarter = turn % 90 === 0
  return {
    media,
    crop: within(crop, media),
    rotate: isQuarter ? ((turn % 360) + 360) % 360 : 0,
    userUnit: Number.isFinite(unit) && unit > 0 ? unit : 1,
  }
}

const LETTER: Frame = [0, 0, 612, 792]
const DEEPEST = 64

function inherited(page: PdfDict, name: string, resolve: Resolve): PdfObject | undefined {
  let node: PdfDict | undefined = page
  for (let depth = 0; node && depth < DEEPEST; depth++) {
    const found = node.get(name, resolve)
    if (found) return found
    node = node.getDict('Parent', resolve)
  }
  return undefined
}

/** Corners may stand in any order. */
function frameOf(box: PdfObject | undefined, resolve: Resolve): Frame | undefined {
  if (!(box instanceof PdfArray) || box.length < 4) return undefined
  const corners = [0, 1, 2, 3].map(index => numberOf(box.at(index, resolve)))
  if (corners.some(corner => corner === undefined || !Number.isFinite(corner))) return undefined
  const [x1, y1, x2, y2] = corners as number[]
  const frame: Frame = [Math.min(x1!, x2!), Math.min(y1!, y2!), Math.abs(x2! - x1!), Math.abs(y2! - y1!)]
  return frame[2] > 0 && frame[3] > 0 ? frame : undefined
}

/** What is cropped is never more than the paper; a crop beside it is none. */
function within(crop: Frame, media: Frame): Frame {
  const left = Math.max(crop[0], media[0])
  const bottom = Math.max(crop[1], media[1])
  const right = Math.min(crop[0] + crop[2], media[0] + media[2])
  const top = Math.min(crop[1] + crop[3], media[1] + media[3])
  return right > left && top > bottom ? [left, bottom, right - left, top - bottom] : media
}

/** Takes fields of forms or all other annotations off the pages, so that they are not drawn. */
export async function dropAnnotations(
  [file]: string[],
  { fields, others }: { fields: boolean; others: boolean },
): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const isKept = (item: PdfObject) => {
    const annotation = item instanceof PdfRef ? resolve(item) : item
    const isField = annotation instanceof PdfDict && annotation.getName('Subtype', resolve)?.value === 'Widget'
    return isField ? !fields : !others
  }
  for (const { dict } of pdf.getPages()) {
    const items = dict.getArray('Annots', resolve)?.toArray() ?? []
    if (items.length > 0) dict.set('Annots', PdfArray.of(...items.filter(isKept)))
  }
  // Where fields have no looks of their own, readers would draw them from the form.
  if (fields) pdf.getCatalog().delete('AcroForm')
  return { bytes: await pdf.save({ incremental: true }) }
}

function numberOf(value: PdfObject | undefined): number | undefined {
  return value instanceof PdfNumber ? value.value : undefined
}

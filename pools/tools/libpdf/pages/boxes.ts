import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfDict, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core'
import type { PageBox, PageBoxes } from '../../../../tasks/formats/pdf/document.ts'
import type { Resolve } from '../objects.ts'

export async function readPageBoxes([file]: string[]): Promise<PageBoxes[]> {
  const pdf = await PDF.load(await readFile(file!))
  return listPageBoxes(pdf)
}

export function listPageBoxes(pdf: PDF): PageBoxes[] {
  return pdf.getPages().map(({ dict }) => pageBoxesOf(dict, ref => pdf.getObject(ref)))
}

/** Boxes may be inherited from the page tree. A page without any box is US letter. */
export function pageBoxesOf(page: PdfDict, resolve: Resolve): PageBoxes {
  const media = readBox(inherited(page, 'MediaBox', resolve), resolve) ?? US_LETTER
  const crop = readBox(inherited(page, 'CropBox', resolve), resolve) ?? media
  const rotation = numberOf(inherited(page, 'Rotate', resolve)) ?? 0
  const unit = numberOf(page.get('UserUnit', resolve)) ?? 1
  const isQuarterTurn = rotation % 90 === 0
  return {
    media,
    crop: clipToMedia(crop, media),
    rotate: isQuarterTurn ? ((rotation % 360) + 360) % 360 : 0,
    userUnit: Number.isFinite(unit) && unit > 0 ? unit : 1,
  }
}

const US_LETTER: PageBox = [0, 0, 612, 792]
const MAX_TREE_DEPTH = 64

function inherited(page: PdfDict, name: string, resolve: Resolve): PdfObject | undefined {
  let node: PdfDict | undefined = page
  for (let depth = 0; node && depth < MAX_TREE_DEPTH; depth++) {
    const found = node.get(name, resolve)
    if (found) return found
    node = node.getDict('Parent', resolve)
  }
  return undefined
}

/** The corners may be in any order. */
function readBox(box: PdfObject | undefined, resolve: Resolve): PageBox | undefined {
  if (!(box instanceof PdfArray) || box.length < 4) return undefined
  const corners = [0, 1, 2, 3].map(index => numberOf(box.at(index, resolve)))
  if (corners.some(corner => corner === undefined || !Number.isFinite(corner))) return undefined
  const [x1, y1, x2, y2] = corners as number[]
  const pageBox: PageBox = [Math.min(x1!, x2!), Math.min(y1!, y2!), Math.abs(x2! - x1!), Math.abs(y2! - y1!)]
  return pageBox[2] > 0 && pageBox[3] > 0 ? pageBox : undefined
}

/** The crop box never extends beyond the media box. One that does not overlap it is ignored. */
function clipToMedia(crop: PageBox, media: PageBox): PageBox {
  const left = Math.max(crop[0], media[0])
  const bottom = Math.max(crop[1], media[1])
  const right = Math.min(crop[0] + crop[2], media[0] + media[2])
  const top = Math.min(crop[1] + crop[3], media[1] + media[3])
  return right > left && top > bottom ? [left, bottom, right - left, top - bottom] : media
}

/** Removes form fields, all other annotations, or both, so that they are not rendered. */
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
  // Viewers would draw fields that have no appearance of their own from the form.
  if (fields) pdf.getCatalog().delete('AcroForm')
  return { bytes: await pdf.save({ incremental: true }) }
}

function numberOf(value: PdfObject | undefined): number | undefined {
  return value instanceof PdfNumber ? value.value : undefined
}

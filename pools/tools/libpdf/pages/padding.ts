import { type PDF, PdfArray, PdfDict, PdfName, PdfNumber } from '@libpdf/core'
import type { Resolve } from '../objects.ts'
import { pageBoxesOf } from './boxes.ts'

/** Inserts a blank page after each part with an odd number of pages, of the same size as the page before it. */
export function padParts(pdf: PDF, resolve: Resolve, parts: readonly { start: number; pages: number }[]): void {
  const ends = parts.filter(({ pages }) => pages % 2 === 1).map(({ start, pages }) => start + pages)
  for (const end of ends.toReversed()) {
    const { crop, rotate } = pageBoxesOf(pdf.getPage(end - 1)!.dict, resolve)
    const box = PdfArray.of(...[0, 0, crop[2], crop[3]].map(side => PdfNumber.of(side)))
    pdf.insertPage(
      end,
      PdfDict.of({ Type: PdfName.Page, MediaBox: box, Rotate: PdfNumber.of(rotate), Resources: new PdfDict() }),
    )
  }
  shiftLabels(pdf, resolve, ends)
}

/** Page labels are stored by page index, which grows by the blank pages inserted before it. */
function shiftLabels(pdf: PDF, resolve: Resolve, ends: readonly number[]): void {
  const labels = pdf.getCatalog().getDict('PageLabels', resolve)?.getArray('Nums', resolve)
  for (let index = 0; labels && index < labels.length; index += 2) {
    const pageIndex = labels.at(index, resolve)
    if (!(pageIndex instanceof PdfNumber)) return
    labels.set(index, PdfNumber.of(pageIndex.value + ends.filter(end => end <= pageIndex.value).length))
  }
}

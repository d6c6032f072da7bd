import { type PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, type PdfRef } from '@libpdf/core'
import { sheetOf } from './pdf-sheets.ts'

/** A blank page after each part with an odd number of pages, as large as the page before it. */
export function padParts(
  pdf: PDF,
  resolve: (ref: PdfRef) => PdfObject | null,
  parts: readonly { start: number; pages: number }[],
): void {
  const ends = parts.filter(({ pages }) => pages % 2 === 1).map(({ start, pages }) => start + pages)
  for (const end of ends.toReversed()) {
    const { crop, rotate: turn } = sheetOf(pdf.getPage(end - 1)!.dict, resolve)
    const box = PdfArray.of(...[0, 0, crop[2], crop[3]].map(side => PdfNumber.of(side)))
    const rotate = PdfNumber.of(turn)
    pdf.insertPage(end, PdfDict.of({ Type: PdfName.Page, MediaBox: box, Rotate: rotate, Resources: new PdfDict() }))
  }
  shiftLabels(pdf, resolve, ends)
}

/** Page labels are kept by the place of their first page, which moves by the blank pages before it. */
function shiftLabels(pdf: PDF, resolve: (ref: PdfRef) => PdfObject | null, ends: readonly number[]): void {
  const labels = pdf.getCatalog().getDict('PageLabels', resolve)?.getArray('Nums', resolve)
  for (let index = 0; labels && index < labels.length; index += 2) {
    const place = labels.at(index, resolve)
    if (!(place instanceof PdfNumber)) return
    labels.set(index, PdfNumber.of(place.value + ends.filter(end => end <= place.value).length))
  }
}

import { type PDF, PdfArray, PdfDict, type PdfObject, PdfRef } from '@libpdf/core'
import type { Resolve } from '../objects.ts'

/** Copies of a page must not share annotations: a change to a note on one page would appear on the other. */
export function separateCopies(pdf: PDF, resolve: Resolve): void {
  const seen = new Set<number>()
  for (const page of pdf.getPages()) {
    const items = page.dict.getArray('Annots', resolve)?.toArray() ?? []
    const known = items.filter(item => item instanceof PdfRef)
    const copies = new Map(
      known.flatMap(ref => {
        const annotation = seen.has(ref.objectNumber) ? resolve(ref) : undefined
        const isNote = annotation instanceof PdfDict && !annotation.has('FT')
        return isNote ? [[ref.objectNumber, pdf.register(new PdfDict([...annotation]))] as const] : []
      }),
    )
    for (const { objectNumber } of known) seen.add(objectNumber)
    if (copies.size === 0) continue
    page.dict.set('Annots', PdfArray.of(...items.map(item => refToCopy(item, copies))))
    for (const copy of copies.values()) retargetReferences(resolve(copy) as PdfDict, page.ref, copies)
  }
}

const ANNOTATION_REFERENCES = ['Popup', 'Parent', 'IRT']

function retargetReferences(annotation: PdfDict, page: PdfRef, copies: Map<number, PdfRef>): void {
  annotation.set('P', page)
  for (const name of ANNOTATION_REFERENCES) {
    const other = annotation.get(name)
    if (other) annotation.set(name, refToCopy(other, copies))
  }
}

function refToCopy(item: PdfObject, copies: Map<number, PdfRef>): PdfObject {
  return (item instanceof PdfRef && copies.get(item.objectNumber)) || item
}

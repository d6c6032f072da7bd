import { type PDF, PdfArray, PdfDict, type PdfObject, PdfRef } from '@libpdf/core'

/** A page that stands twice must not share its annotations: a note on one would appear on the other. */
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
    page.dict.set('Annots', PdfArray.of(...items.map(item => copyOf(item, copies))))
    for (const copy of copies.values()) leadWithin(resolve(copy) as PdfDict, page.ref, copies)
  }
}

type Resolve = (ref: PdfRef) => PdfObject | null

const WITHIN = ['Popup', 'Parent', 'IRT']

function leadWithin(annotation: PdfDict, page: PdfRef, copies: Map<number, PdfRef>): void {
  annotation.set('P', page)
  for (const name of WITHIN) {
    const other = annotation.get(name)
    if (other) annotation.set(name, copyOf(other, copies))
  }
}

function copyOf(item: PdfObject, copies: Map<number, PdfRef>): PdfObject {
  return (item instanceof PdfRef && copies.get(item.objectNumber)) || item
}

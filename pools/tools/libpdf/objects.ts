import { PdfDict, type PdfObject, PdfRef } from '@libpdf/core'

/** Looks up the object that a reference points to. */
export type Resolve = (ref: PdfRef) => PdfObject | null

export function resolveDict(item: PdfObject | null | undefined, resolve: Resolve): PdfDict | undefined {
  const found = item instanceof PdfRef ? resolve(item) : item
  return found instanceof PdfDict ? found : undefined
}

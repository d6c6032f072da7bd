import { type PDF, PdfDict, type PdfObject, PdfRef } from '@libpdf/core'

/** Takes the values out of signature fields; their looks stay. A signature that no longer holds must not claim to. */
export function clearSignatures(pdf: PDF, resolve: Resolve): void {
  const catalog = pdf.getCatalog()
  catalog.delete('Perms')
  const form = catalog.getDict('AcroForm', resolve)
  if (!form) return
  form.delete('SigFlags')
  const seen = new Set<PdfDict>()
  for (const field of form.getArray('Fields', resolve) ?? []) clearField(field, undefined, resolve, seen)
}

type Resolve = (ref: PdfRef) => PdfObject | null

/** A field without a type has that of its parent. */
function clearField(item: PdfObject, inherited: string | undefined, resolve: Resolve, seen: Set<PdfDict>): void {
  const field = item instanceof PdfRef ? resolve(item) : item
  if (!(field instanceof PdfDict) || seen.has(field)) return
  seen.add(field)
  const type = field.getName('FT', resolve)?.value ?? inherited
  if (type === 'Sig') for (const name of SIGNED_WITH) field.delete(name)
  for (const kid of field.getArray('Kids', resolve) ?? []) clearField(kid, type, resolve, seen)
}

const SIGNED_WITH = ['V', 'Lock', 'SV']

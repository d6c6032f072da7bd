import { type PDF, PdfDict, type PdfObject, PdfRef } from '@libpdf/core'
import type { Resolve } from '../objects.ts'

/** Removes the values of signature fields, which would be invalid now. Their appearances stay. */
export function clearSignatures(pdf: PDF, resolve: Resolve): void {
  const catalog = pdf.getCatalog()
  catalog.delete('Perms')
  const form = catalog.getDict('AcroForm', resolve)
  if (!form) return
  form.delete('SigFlags')
  const seen = new Set<PdfDict>()
  for (const field of form.getArray('Fields', resolve) ?? []) clearField(field, undefined, resolve, seen)
}

/** A field without a type inherits that of its parent. */
function clearField(item: PdfObject, inherited: string | undefined, resolve: Resolve, seen: Set<PdfDict>): void {
  const field = item instanceof PdfRef ? resolve(item) : item
  if (!(field instanceof PdfDict) || seen.has(field)) return
  seen.add(field)
  const type = field.getName('FT', resolve)?.value ?? inherited
  if (type === 'Sig') for (const name of SIGNATURE_KEYS) field.delete(name)
  for (const kid of field.getArray('Kids', resolve) ?? []) clearField(kid, type, resolve, seen)
}

const SIGNATURE_KEYS = ['V', 'Lock', 'SV']

import type { Tools } from '../../kit/operation.ts'
import type { Rect } from '../geometry/rect.ts'
import { type FormField, typeOfValue } from './field.ts'

type AcroField = Awaited<ReturnType<Tools['libpdf']['readForm']>>['fields'][number]

/** The form fields of one page of a PDF, exactly as the document holds them. */
export function readAcroFields(fields: readonly AcroField[], page: number): FormField[] {
  return fields.filter(field => field.page === page && field.type !== 'button').map(toField)
}

function toField({ name, type, value, tooltip, rect }: AcroField): FormField {
  const box = rect === null ? {} : { valueBox: rect as unknown as Rect }
  const field = { key: tooltip ?? name, ...box, confidence: 1, source: 'form' as const }
  if (type === 'signature') return { ...field, value: '', type }
  if (type === 'checkbox') {
    const checked = value !== false && value !== null
    return { ...field, value: String(checked), type, checked }
  }
  const text = Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : ''
  return { ...field, value: text, type: typeOfValue(text) }
}

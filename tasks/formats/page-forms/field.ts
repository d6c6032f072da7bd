import type { Rect } from '../geometry/rect.ts'
import { findDate } from '../invoice/dates.ts'

/** A value of a form with its label, in the order of the page. */
export interface FormField {
  key: string
  value: string
  type: 'text' | 'checkbox' | 'date' | 'number' | 'signature'
  checked?: boolean
  /** Missing where a PDF names a field without showing its name. */
  keyBox?: Rect
  valueBox?: Rect
  confidence: number
  source: 'text-layer' | 'ocr' | 'form' | 'model'
}

const DATE =
  /^(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})|\d{1,2}\.?\s+\p{L}{3,9}\.?,?\s+\d{4}|\p{L}{3,9}\.?\s+\d{1,2},?\s+\d{4})$/u
const NUMBER = /^[-+(]?\s*(?:\p{Sc}\s*)?\d[\d.,'\u2009\u202f\s]*\)?\s*(?:\p{Sc}|%)?$/u

export function typeOfValue(value: string): 'text' | 'date' | 'number' {
  if (DATE.test(value) || findDate(value, false)?.raw === value) return 'date'
  return NUMBER.test(value) ? 'number' : 'text'
}

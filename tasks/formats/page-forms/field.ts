import type { Rect } from '../geometry/rect.ts'
import { findDate } from '../invoice/dates.ts'
import { countDaysOfMonth } from '../time/month-names.ts'

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

const NUMERIC_DATE = /^(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4}))$/
const DAY_FIRST =
  /^(?<day>\d{1,2})(?:st|nd|rd|th|er|\.)?[\s/-]+(?:de |of )?(?<month>\p{L}{3,10})\.?,?[\s/-]+(?:de |del )?(?:\d{2}|\d{4})$/iu
const MONTH_FIRST = /^(?<month>\p{L}{3,10})\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+\d{4}$/iu
const NUMBER = /^[-+(]?\s*(?:\p{Sc}\s*)?\d[\d.,'\u2009\u202f\s]*\)?\s*(?:\p{Sc}|%)?$/u

export function typeOfValue(value: string): 'text' | 'date' | 'number' {
  if (isDate(value)) return 'date'
  return NUMBER.test(value) ? 'number' : 'text'
}

/** A number of a house, its street and a code of four digits look like a day, so the word must name a month. */
function isDate(value: string): boolean {
  if (NUMERIC_DATE.test(value) || findDate(value, false)?.raw === value) return true
  const { day, month } = (DAY_FIRST.exec(value) ?? MONTH_FIRST.exec(value))?.groups ?? {}
  return month !== undefined && Number(day) <= (countDaysOfMonth(month) ?? 0)
}

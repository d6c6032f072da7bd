import { isNumberText, isPhoneText } from '../../../../tasks/formats/tables/number-text.ts'
import { SURE_DIGITS } from './types.ts'

/** What the texts of a column may be, as bits; a text that is nothing else is text. */
const [INTEGER, NUMBER, BOOLEAN, DATE, DATETIME, ZONED, TEXT] = [1, 2, 4, 8, 16, 32, 64] as const
/** Beside INTEGER: one that a number with a fraction would round. */
const EXACT = 128
/** An integer of more digits than 64 bits hold, and a number that is exact as a decimal only. */
const [LARGE, WIDE] = [256, 512]

const INTEGER_FORM = /^(?:0|-?[1-9]\d{0,17})$/
const DATE_FORM = /^(\d{4})-(\d{2})-(\d{2})$/
const DATETIME_FORM = /^(\d{4})-(\d{2})-(\d{2})[T ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(Z|[+-]\d{2}:?\d{2})?$/
const LONGEST = 44

/** The text of a cell that has no type, as in CSV. */
export function classifyText(text: string, isLoose: boolean): number {
  if (text.length > LONGEST) return TEXT
  const first = text.charCodeAt(0)
  // Signs, the point and digits.
  if (first >= 0x2b && first <= 0x39) return classifyDigits(text) || (isLoose ? classifyLoose(text) : TEXT)
  if (text === 'true' || text === 'false') return BOOLEAN
  return isLoose ? classifyLoose(text) : TEXT
}

function classifyDigits(text: string): number {
  if (INTEGER_FORM.test(text)) return classifyInteger(text)
  if (isNumberText(text)) return classifySafely(text)
  const date = DATE_FORM.exec(text)
  if (date) return isDayOf(date) ? DATE : TEXT
  const datetime = DATETIME_FORM.exec(text)
  if (datetime) return isDayOf(datetime) ? (datetime[5] ? ZONED : DATETIME) : TEXT
  return 0
}

function classifyInteger(text: string): number {
  return keepsDigits(text) ? INTEGER : INTEGER | EXACT
}

function classifySafely(text: string): number {
  return isPhoneText(text) ? 0 : classifyNumber(text)
}

const LARGE_FORM = /^[+-]?[1-9]\d{0,37}$/

function classifyNumber(text: string): number {
  const plain = text.startsWith('+') ? text.slice(1) : text
  if (INTEGER_FORM.test(plain)) return classifyInteger(plain)
  if (LARGE_FORM.test(plain)) return LARGE
  return keepsDigits(plain) ? NUMBER : WIDE
}

function classifyLoose(text: string): number {
  const plain = text.trim()
  if (/^(?:true|false)$/i.test(plain)) return BOOLEAN
  if (isNumberText(plain)) return classifyNumber(plain)
  return plain === text ? TEXT : classifyDigits(plain) || TEXT
}

const MAX_DIGITS = 100
/** A number with a fraction of so many digits was computed, and 64 bits are never printed with more digits in all. */
export const [LONG_FRACTION, PRINTED_DIGITS] = [12, 17] as const

/** Whether a number of 64 bits, printed with as many digits, is the same text. */
export function keepsDigits(text: string): boolean {
  const { digits, fraction, hasExponent } = countDigits(text)
  if (!hasExponent && (digits <= SURE_DIGITS || (fraction >= LONG_FRACTION && digits <= PRINTED_DIGITS))) return true
  const value = Number(text)
  if (!Number.isFinite(value) || digits > MAX_DIGITS) return false
  if (!hasExponent && digits <= SURE_DIGITS) return true
  return digits === 0 || listDigits(value.toPrecision(digits)) === listDigits(text)
}

/** How many digits there are from the first that is not zero, and after the point. Called for millions of cells. */
function countDigits(text: string): { digits: number; fraction: number; hasExponent: boolean } {
  const exponent = text.search(/e/i)
  const end = exponent < 0 ? text.length : exponent
  const point = text.indexOf('.')
  const first = text.search(/[1-9e]/i)
  const digits = first < 0 ? 0 : end - first - (point > first ? 1 : 0)
  return { digits, fraction: point < 0 ? 0 : end - point - 1, hasExponent: exponent >= 0 }
}

function listDigits(text: string): string {
  return text.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '')
}

function isDayOf([, year, month, day]: RegExpExecArray): boolean {
  return isDay(Number(year), Number(month), Number(day))
}

export function isDay(year: number, month: number, day: number): boolean {
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1)) return false
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const isShort = month === 4 || month === 6 || month === 9 || month === 11
  return day <= (month === 2 ? (isLeap ? 29 : 28) : isShort ? 30 : 31)
}

/** The text of a cell whose format has numbers and booleans but no dates, and no integers of more digits than these. */
export function classifyString(text: string): number {
  if (text.length < 10 || text.length > 40) return TEXT
  const found = classifyDigits(text)
  if ((found & INTEGER) !== 0) return text.replace('-', '').length > SURE_DIGITS ? found : TEXT
  return found === 0 || (found & (NUMBER | WIDE)) !== 0 ? TEXT : found
}

/** A number, true or false as JSON has them. */
export function classifyScalar(text: string): number {
  if (text === 'true' || text === 'false') return BOOLEAN
  if (INTEGER_FORM.test(text) || text === '-0') return classifyInteger(text)
  return classifyNumber(text)
}

export const IS_TEXT = TEXT

/** A type whose digits are not known yet. */
export const DECIMAL = 'decimal'

const NUMBERS = INTEGER | EXACT | NUMBER | LARGE | WIDE

/** The type of a column whose cells are of these kinds. */
export function unifyKinds(kinds: number): string {
  if (kinds !== 0 && (kinds & ~NUMBERS) === 0) return unifyNumberKinds(kinds)
  if (kinds === BOOLEAN) return 'boolean'
  if (kinds === DATE) return 'date'
  if (kinds === DATETIME) return 'datetime'
  return kinds === ZONED ? 'timestamptz' : 'string'
}

function unifyNumberKinds(kinds: number): string {
  if ((kinds & (NUMBER | WIDE)) === 0) return (kinds & LARGE) === 0 ? 'integer' : 'bigint'
  return (kinds & (EXACT | LARGE | WIDE)) === 0 ? 'number' : DECIMAL
}

/** Whether a column of this type holds a cell of this kind. */
export function fitsType(kind: number, type: string): boolean {
  if (type === 'string') return true
  if (type === 'number') return unifyKinds(kind | NUMBER) === type
  return unifyKinds(type === 'bigint' ? kind | LARGE : kind) === type
}

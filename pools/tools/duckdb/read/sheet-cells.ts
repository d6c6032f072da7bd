import { SSF } from '@e965/xlsx'
import type { SheetOptions } from '../plan.ts'
import { classifyScalar, classifyString, classifyText, IS_TEXT } from './cell-types.ts'
import { writeDateNames } from './date-names.ts'
import { LONG_INTEGER } from './parts.ts'

interface SheetCell {
  /** n: number, s: text, b: boolean, e: error, z: nothing. */
  t: string
  v?: unknown
  w?: string
  /** The format of the number. */
  z?: string
  f?: string
}

export type CellRules = SheetOptions & { isEpoch1904: boolean; isOpenDocument: boolean; isLoose: boolean }

export interface WrittenCell {
  /** Absent for null. */
  text?: string
  kind: number
  /** The text needs no quotes. */
  isPlain?: boolean
  warning?: string
}

export function convertCell(given: unknown, rules: CellRules): WrittenCell | undefined {
  if (given === undefined || given === null) return undefined
  const cell = given as SheetCell
  if (rules.values === 'formula' && cell.f !== undefined) return toText(`=${cell.f}`)
  const isShown = rules.values === 'formatted' && cell.w !== undefined
  if (cell.t === 'e' && !isShown) return { kind: 0, warning: 'CELL_ERROR' }
  if (cell.v === undefined || cell.v === null) {
    return cell.f === undefined ? undefined : { kind: 0, warning: 'NO_CACHED_VALUE' }
  }
  return convertValue(cell, rules)
}

const IS_BOOLEAN = /^(?:TRUE|FALSE)\(\)$/

function convertValue({ v: given, w, z, f = '' }: SheetCell, rules: CellRules): WrittenCell {
  // LibreOffice keeps the booleans of a workbook as these formulas, with the values 1 and 0.
  const v = rules.isOpenDocument && IS_BOOLEAN.test(f) ? Boolean(given) : given
  if (rules.values === 'formatted') {
    const special = showNames(v, z, rules) ?? showLastDay(v, z, rules) ?? showLastSecond(v, z, rules)
    const shown = special ?? w ?? showDate(v, z, rules)
    return { text: shown ?? String(v), kind: IS_TEXT }
  }
  if (typeof v === 'number') return convertNumber(v, z, rules)
  if (typeof v === 'boolean') return { text: String(v), kind: classifyText(String(v), false), isPlain: true }
  const text = String(v)
  return text.startsWith(LONG_INTEGER) ? toNumber(text.slice(LONG_INTEGER.length)) : toText(text)
}

/** The parser shows nothing for it. */
function showLastDay(value: unknown, format: string | undefined, rules: CellRules): string | undefined {
  if (typeof value !== 'number' || format === undefined || !isLastDay(value, rules.isEpoch1904)) return undefined
  const shown = describeFormat(format)
  return shown.isDate ? toIso(value, shown, rules) : undefined
}

const LAST_SECOND = 86_399
const IS_FINER = /\.0/

/** The parser rounds the last half second of a day up to midnight, at which the day begins. */
function showLastSecond(value: unknown, format: string | undefined, rules: CellRules): string | undefined {
  if (typeof value !== 'number' || format === undefined || (value % 1) * 86_400 < LAST_SECOND + 0.5) return undefined
  const { isDate, hasDay, isElapsed } = describeFormat(format)
  if (!isDate || hasDay || isElapsed || IS_FINER.test(format)) return undefined
  return formatDate(Math.floor(value) + LAST_SECOND / 86_400, format, rules.isEpoch1904)
}

/** The parser takes a dot between the parts of a date for that of a number, and then shows nothing. */
function showDate(value: unknown, format: string | undefined, { isEpoch1904 }: CellRules): string | undefined {
  if (typeof value !== 'number' || format === undefined || !SSF.is_date(format)) return undefined
  return formatDate(value, format, isEpoch1904)
}

/** The parser knows no names but the English ones. */
function showNames(value: unknown, format: string | undefined, { isEpoch1904 }: CellRules): string | undefined {
  if (typeof value !== 'number' || !format?.includes('[$') || !SSF.is_date(format)) return undefined
  const parts = SSF.parse_date_code(value, { date1904: isEpoch1904 })
  const named = parts && writeDateNames(format, { month: parts.m, weekday: parts.q })
  return named === undefined ? undefined : formatDate(value, named, isEpoch1904)
}

function formatDate(value: number, format: string, isEpoch1904: boolean): string | undefined {
  const plain = format.replace(/"[^"]*"|\\.|\[[^\]]*\]|\.(?!0)/g, part => (part === '.' ? '\\.' : part))
  try {
    return (SSF.format(plain, value, { date1904: isEpoch1904 }) as string | undefined) ?? undefined
  } catch {
    return undefined
  }
}

function toNumber(text: string): WrittenCell {
  return { text, kind: classifyScalar(text), isPlain: true }
}

function toText(text: string): WrittenCell {
  return { text, kind: classifyString(text) }
}

interface FormatFacts {
  isDate: boolean
  hasTime: boolean
  hasDay: boolean
  /** It shows hours, minutes or seconds beyond those of a day. */
  isElapsed: boolean
}

const formats = new Map<string, FormatFacts>()

/** What a format of numbers shows, kept because a sheet has few formats and many cells. */
function describeFormat(format: string): FormatFacts {
  let known = formats.get(format)
  if (!known) {
    const plain = format.replace(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '')
    known = {
      isDate: SSF.is_date(format),
      hasTime: /[hs]/i.test(plain),
      hasDay: /[yd]/i.test(plain),
      isElapsed: /\[(?:h+|m+|s+)\]/i.test(plain),
    }
    if (formats.size > 1000) formats.clear()
    formats.set(format, known)
  }
  return known
}

function convertNumber(value: number, format: string | undefined, rules: CellRules): WrittenCell {
  if (format !== undefined && format !== 'General' && rules.dates === 'iso') {
    const shown = describeFormat(format)
    const text = shown.isDate ? toIso(value, shown, rules) : undefined
    if (text !== undefined) return { text, kind: classifyText(text, false), isPlain: true }
  }
  if (!Number.isFinite(value)) return { kind: 0, warning: 'CELL_ERROR' }
  return toNumber(String(countFrom1900(value, format, rules)))
}

/** Serial numbers of days mean the same days in every workbook, because what is written does not say where they begin. */
function countFrom1900(value: number, format: string | undefined, { dates, isEpoch1904 }: CellRules): number {
  if (dates !== 'serial' || !isEpoch1904 || format === undefined || format === 'General') return value
  const { isDate, hasDay } = describeFormat(format)
  return isDate && hasDay ? value + EPOCH_1904 : value
}

/** A date has no time zone; 1900 is a leap year to spreadsheets, so their day 60 does not exist. */
function toIso(
  value: number,
  { hasTime, hasDay: showsDay }: { hasTime: boolean; hasDay: boolean },
  { isEpoch1904, isOpenDocument }: CellRules,
): string | undefined {
  if (showsDay && (isOpenDocument || isLastDay(value, isEpoch1904))) return restoreIso(value, hasTime, isEpoch1904)
  const parts = SSF.parse_date_code(value, { date1904: isEpoch1904 })
  if (!parts || parts.y > 9999) return undefined
  // What is less than a day is a time, whose format has nothing to show of a day but 1900-01-00.
  if (!showsDay || parts.d === 0) return formatElapsed(value)
  const fraction = parts.u > 0.0005 ? parts.u.toFixed(3).slice(1) : ''
  const time = `${padTwo(parts.H)}:${padTwo(parts.M)}:${padTwo(parts.S)}${fraction}`
  const day = `${String(parts.y).padStart(4, '0')}-${padTwo(parts.m)}-${padTwo(parts.d)}`
  return hasTime || !Number.isInteger(value) ? `${day}T${time}` : day
}

const padTwo = (part: number) => String(part).padStart(2, '0')

/** An elapsed time such as 25:30:00 has no day. A sum of times may be a little less than what it stands for. */
function formatElapsed(value: number): string {
  const ms = Math.round(value * 86_400_000)
  const [hours, minutes, seconds] = [3_600_000, 60_000, 1000].map(unit => Math.floor(ms / unit))
  const fraction = ms % 1000 === 0 ? '' : (ms / 1000).toFixed(3).slice(-4)
  return `${padTwo(hours!)}:${padTwo(minutes! % 60)}:${padTwo(seconds! % 60)}${fraction}`
}

const FIRST_MARCH_1900 = 60
const EPOCH_1904 = 1462

const LAST_DAY = 2_958_465

/** Within the last day, 9999-12-31, for which the parser knows no times. */
function isLastDay(value: number, isEpoch1904: boolean): boolean {
  const counted = isEpoch1904 ? value + EPOCH_1904 : value
  return counted > LAST_DAY && counted < LAST_DAY + 1
}

/** The date that an OpenDocument states, which the parser has made a number of, one less before March 1900. */
function restoreIso(value: number, hasTime: boolean, isEpoch1904: boolean): string | undefined {
  const counted = isEpoch1904 ? value + EPOCH_1904 : value
  const days = counted < FIRST_MARCH_1900 - 1 ? counted + 1 : counted
  const date = new Date(Date.UTC(1899, 11, 30) + Math.round(days * 86_400_000))
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 0 || date.getUTCFullYear() > 9999) return undefined
  const [day, time] = date.toISOString().slice(0, -1).split('T')
  return hasTime || time !== '00:00:00.000' ? `${day}T${time!.replace('.000', '')}` : day
}

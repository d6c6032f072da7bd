import { Problem } from '#kit'
import { isSigningDay } from './dates.ts'
import { requireWritable } from './mark.ts'
import { matchesPattern, parsePattern } from './pattern.ts'
import type { FieldSpec } from './place.ts'

type Rules = Pick<FieldSpec, 'type' | 'options' | 'validation'> & { id: string }

/** A field that a signer fills in. */
interface OwnField extends FieldSpec {
  id: string
  value: unknown
}

type Value = string | boolean | null

/** Those that hold the signature, which is made once for all of them. */
export function isMark({ type }: Pick<FieldSpec, 'type'>): boolean {
  return type === 'signature' || type === 'initials'
}

const MAX_TEXT = 5_000

/** What was filled in, as it is stored. Fields that are not the signer's are refused. Throws FIELD_INVALID. */
export function readValues(
  fields: readonly OwnField[],
  given: Readonly<Record<string, unknown>>,
): Record<string, Value> {
  const known = new Map(fields.map(field => [field.id, field]))
  const values: Record<string, Value> = {}
  for (const [id, value] of Object.entries(given)) {
    const field = known.get(id)
    if (!field) throw invalid(id, 'it is not a field of this signer')
    if (isMark(field)) throw invalid(id, 'it gets the signature')
    if (field.readOnly) throw invalid(id, 'it is read-only')
    values[id] = readValue(field, value)
  }
  return values
}

/** What its sender fills in of a field keeps the rules of it too. Throws FIELD_INVALID. */
export function checkPrefilled(field: Rules, value: unknown): void {
  if (field.type === 'heading') requireWritable(String(value ?? ''), field.id)
  if (FILLED_TYPES.has(field.type)) readValue(field, value)
}

const FILLED_TYPES = new Set<FieldSpec['type']>([
  'date',
  'name',
  'email',
  'text',
  'number',
  'checkbox',
  'radio',
  'dropdown',
])

function readValue(field: Rules, value: unknown): Value {
  const { id, type } = field
  if (value === null || value === '') return null
  if (type === 'checkbox' || type === 'radio') {
    if (typeof value !== 'boolean') throw invalid(id, 'true or false')
    return value
  }
  if (typeof value !== 'string' && typeof value !== 'number') throw invalid(id, 'a text')
  const text = String(value).trim()
  if (text === '') return null
  if (!text.isWellFormed() || text.includes('\0')) throw invalid(id, 'it has characters that are no text')
  if (type !== 'dropdown') requireWritable(text, id)
  checkText(field, text)
  return text
}

const FORMATS: Record<string, RegExp> = {
  email: /^[^\s@]{1,64}@[^\s@]{1,255}$/,
  integer: /^-?\d{1,20}$/,
  phone: /^\+?[\d ()/.-]{5,30}$/,
  url: /^https?:\/\/\S{1,2000}$/,
}

const NUMBER = /^-?\d{1,18}([.,]\d{1,12})?$/

function checkText(field: Rules, text: string): void {
  const { id, type, options, validation = {} } = field
  const { maxLength = MAX_TEXT, pattern } = validation
  if ([...text].length > maxLength) throw invalid(id, `at most ${maxLength} characters`, { maxLength })
  if (type === 'dropdown' && !options?.includes(text)) throw invalid(id, 'one of its options', { allowed: options })
  checkForm(field, text)
  if (type === 'number' || validation.format === 'integer') checkNumber(field, text)
  if (pattern !== undefined && !matchesPattern(parsePattern(pattern, id), text))
    throw invalid(id, 'of the pattern that its sender has set', { pattern })
}

function checkForm({ id, type, validation }: Rules, text: string): void {
  const form = validation?.format ?? (type === 'date' || type === 'email' ? type : undefined)
  if (form === 'date') {
    if (!isDate(text)) throw invalid(id, 'a date such as 2026-12-31', { format: form })
  } else if (form !== undefined && !FORMATS[form]!.test(text)) {
    throw invalid(id, `of the form ${form}`, { format: form })
  }
}

function checkNumber({ id, validation: { min, max } = {} }: Rules, text: string): void {
  if (!NUMBER.test(text)) throw invalid(id, 'a number', { format: 'number' })
  const number = Number(text.replace(',', '.'))
  if (min !== undefined && number < min) throw invalid(id, `at least ${min}`, { min })
  if (max !== undefined && number > max) throw invalid(id, `at most ${max}`, { max })
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined
  return time !== undefined && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}

function invalid(field: string, reason: string, hints: object = {}): Problem {
  return new Problem('FIELD_INVALID', { field, reason, ...hints })
}

type Asked = Pick<FieldSpec, 'type' | 'options' | 'showIf' | 'readOnly' | 'validation'> & {
  id: string
  owner: string | null
}

/** What could never be filled in, or would never be asked for, is not sent. Throws FIELD_INVALID. */
export function requireFillable(fields: readonly Asked[]): void {
  for (const {
    id,
    type,
    options,
    showIf,
    readOnly,
    owner,
    validation: { min = -Infinity, max = Infinity } = {},
  } of fields) {
    if (min > max) throw invalid(id, 'no number is at least min and at most max', { min, max })
    if (type === 'dropdown' && !readOnly && !options) throw invalid(id, 'a dropdown has options')
    const isKnown = fields.some(other => other.id === showIf?.field && other.owner === owner)
    if (showIf && type !== 'heading' && !isKnown)
      throw invalid(id, 'showIf names another field of the same recipient', { showIf: showIf.field })
  }
}

/** Whether a field is asked for, as the value of another one says. */
function isShown(field: OwnField, values: Readonly<Record<string, unknown>>): boolean {
  const { showIf } = field
  return showIf === undefined || String(values[showIf.field] ?? false) === String(showIf.equals)
}

/** The fields that are asked for. One that is not has no value by which another one could be. */
function listAsked(fields: readonly OwnField[], values: Readonly<Record<string, unknown>>): OwnField[] {
  const byId = new Map(fields.map(field => [field.id, field]))
  const known = new Map<OwnField, boolean>()
  const isAsked = (field: OwnField): boolean => {
    const before = known.get(field)
    if (before !== undefined) return before
    // So that fields that depend on each other come to an end.
    known.set(field, true)
    const other = byId.get(field.showIf?.field ?? '')
    const hasValue = !other || isAsked(other)
    const asked = isShown(field, hasValue ? values : {})
    known.set(field, asked)
    return asked
  }
  return fields.filter(isAsked)
}

/** What the service fills in itself: names, addresses and the day of signing, where nothing else was given. */
export function completeValues(
  fields: readonly OwnField[],
  given: Readonly<Record<string, Value>>,
  signer: { name: string; email: string | null; today: string },
): Record<string, Value> {
  const stored = Object.fromEntries(fields.filter(field => !isMark(field)).map(({ id, value }) => [id, value as Value]))
  const values: Record<string, Value> = { ...stored, ...given }
  const own: Partial<Record<FieldSpec['type'], string | null>> = {
    ...{ name: signer.name, email: signer.email },
  }
  for (const field of fields) {
    if (isMark(field) || field.type === 'heading') continue
    const ofSigner = isSigningDay(field) ? signer.today : own[field.type]
    if ((values[field.id] ?? null) === null) values[field.id] = ofSigner ?? null
  }
  const asked = new Set(listAsked(fields, values))
  const hidden = fields.filter(field => !isMark(field) && !asked.has(field))
  return { ...values, ...Object.fromEntries(hidden.map(({ id }) => [id, null])) }
}

/** Throws FIELD_REQUIRED with the ids of all that have no value. */
export function requireValues(fields: readonly OwnField[], values: Readonly<Record<string, Value>>): void {
  const open = fields.filter(field => {
    if (!field.required || field.readOnly || isMark(field) || !isShown(field, values)) return false
    if (field.type === 'radio') return !fields.some(other => isSameGroup(other, field) && values[other.id] === true)
    return values[field.id] === null || values[field.id] === false || values[field.id] === undefined
  })
  if (open.length > 0) throw new Problem('FIELD_REQUIRED', { ids: open.map(({ id }) => id) })
  for (const field of fields) {
    const chosen = fields.filter(other => isSameGroup(other, field) && values[other.id] === true)
    if (field.type === 'radio' && chosen.length > 1) throw invalid(field.id, 'one of its group')
  }
}

function isSameGroup(one: OwnField, other: OwnField): boolean {
  return one.type === 'radio' && other.type === 'radio' && (one.group ?? '') === (other.group ?? '')
}

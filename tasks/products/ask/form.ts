import { Problem } from '#kit'

/** One entry of a form: a flat JSON Schema of a value. */
export interface FormField {
  type: 'string' | 'number' | 'integer' | 'boolean'
  title?: string
  description?: string
  enum?: string[]
  format?: 'email' | 'date' | 'uri'
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}

export interface Form {
  type: 'object'
  title?: string
  properties: Record<string, FormField>
  required?: string[]
}

const MAX_FIELDS = 30
const MAX_TEXT = 20_000
const MAX_CHOICES = 100
const TYPES = ['string', 'number', 'integer', 'boolean']
const FORMATS = ['email', 'date', 'uri']
const TEXT_KEYS = ['type', 'title', 'description', 'enum', 'format', 'minLength', 'maxLength']
const NUMBER_KEYS = ['type', 'title', 'description', 'minimum', 'maximum']
const KEYS: Record<string, readonly string[]> = {
  string: TEXT_KEYS,
  number: NUMBER_KEYS,
  integer: NUMBER_KEYS,
  boolean: ['type', 'title', 'description'],
}

/** The form that a schema describes. Throws SCHEMA_INVALID for what no form can show or no reply can satisfy. */
export function readForm(schema: unknown): Form {
  requireRecord('', schema)
  requireKeys('', schema, ['type', 'title', 'description', 'properties', 'required', 'additionalProperties', '$schema'])
  if (schema.type !== 'object') refuse('/type', 'it must be object')
  const { properties, required = [] } = schema
  requireRecord('/properties', properties)
  const names = Object.keys(properties)
  if (names.length === 0 || names.length > MAX_FIELDS) refuse('/properties', `1 to ${MAX_FIELDS} of them`)
  for (const name of names) requireField(`/properties/${name}`, properties[name])
  const isKnown = (name: unknown) => typeof name === 'string' && Object.hasOwn(properties, name)
  if (!Array.isArray(required) || !required.every(isKnown)) refuse('/required', 'it must list names of properties')
  return schema as unknown as Form
}

function requireField(path: string, field: unknown): void {
  requireRecord(path, field)
  const { type, format, enum: choices } = field
  if (typeof type !== 'string' || !TYPES.includes(type)) refuse(`${path}/type`, `one of ${TYPES.join(', ')}`)
  requireKeys(path, field, KEYS[type as string]!)
  requireEach(path, field, NUMBERS, value => Number.isFinite(value), 'it must be a number')
  requireOrder(path, field, 'minimum', 'maximum')
  requireOrder(path, field, 'minLength', 'maxLength')
  requireEach(path, field, ['title', 'description'], value => typeof value === 'string', 'it must be a text')
  if (format !== undefined && !FORMATS.includes(format as string))
    refuse(`${path}/format`, `one of ${FORMATS.join(', ')}`)
  if (choices !== undefined && !isChoiceList(choices)) refuse(`${path}/enum`, `1 to ${MAX_CHOICES} texts`)
}

const NUMBERS = ['minimum', 'maximum', 'minLength', 'maxLength']

function requireEach(
  path: string,
  field: Record<string, unknown>,
  keys: readonly string[],
  isRight: (value: unknown) => boolean,
  reason: string,
): void {
  const wrong = keys.find(key => field[key] !== undefined && !isRight(field[key]))
  if (wrong !== undefined) refuse(`${path}/${wrong}`, reason)
}

/** A field that nobody could fill in is not asked for. */
function requireOrder(path: string, field: Record<string, unknown>, least: string, most: string): void {
  if (Number(field[least] ?? Number.NEGATIVE_INFINITY) > Number(field[most] ?? Number.POSITIVE_INFINITY))
    refuse(`${path}/${most}`, `it is less than ${least}`)
}

function isChoiceList(choices: unknown): boolean {
  const isList = Array.isArray(choices) && choices.length > 0 && choices.length <= MAX_CHOICES
  return isList && choices.every(choice => typeof choice === 'string')
}

function requireRecord(path: string, value: unknown): asserts value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(path, 'it must be an object')
}

function requireKeys(path: string, value: Record<string, unknown>, allowed: readonly string[]): void {
  const unknown = Object.keys(value).find(key => !allowed.includes(key))
  if (unknown !== undefined) refuse(`${path}/${unknown}`, `a form knows only ${allowed.join(', ')} here`)
}

function refuse(path: string, reason: string): never {
  throw new Problem('SCHEMA_INVALID', { path: path || '/', reason })
}

/** What is wrong with a filled-in form, and where; undefined if nothing is. */
export function findFormFault(form: Form, filled: unknown): { path: string; reason: string } | undefined {
  if (typeof filled !== 'object' || filled === null || Array.isArray(filled))
    return { path: '/form', reason: 'it must be an object' }
  const values = filled as Record<string, unknown>
  const unknown = Object.keys(values).find(name => !Object.hasOwn(form.properties, name))
  if (unknown !== undefined) return { path: `/form/${unknown}`, reason: 'the form has no such entry' }
  for (const [name, field] of Object.entries(form.properties)) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    const reason =
      value === undefined
        ? form.required?.includes(name) && 'it is required'
        : (findTypeFault(field, value) ?? findRangeFault(field, value))
    if (reason) return { path: `/form/${name}`, reason }
  }
  return undefined
}

function findTypeFault({ type }: FormField, value: unknown): string | undefined {
  if (type === 'string') return typeof value === 'string' ? undefined : 'it must be a text'
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'it must be true or false'
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'it must be a number'
  return type === 'integer' && !Number.isInteger(value) ? 'it must be a whole number' : undefined
}

function findRangeFault(field: FormField, value: unknown): string | undefined {
  if (typeof value === 'number') {
    if (field.minimum !== undefined && value < field.minimum) return `at least ${field.minimum}`
    if (field.maximum !== undefined && value > field.maximum) return `at most ${field.maximum}`
  }
  return typeof value === 'string' ? findTextFault(field, value) : undefined
}

function findTextFault({ enum: choices, format, minLength = 0, maxLength = MAX_TEXT }: FormField, text: string) {
  const { length } = [...text]
  if (choices && !choices.includes(text)) return `one of ${choices.join(', ')}`
  if (length < minLength) return `at least ${minLength} characters`
  if (length > Math.min(maxLength, MAX_TEXT)) return `at most ${Math.min(maxLength, MAX_TEXT)} characters`
  if (format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return 'it must be a mail address'
  if (format === 'date' && !isDate(text)) return 'it must be a date such as 2026-01-31'
  if (format === 'uri' && !URL.canParse(text)) return 'it must be an address such as https://example.com'
  return undefined
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** What was typed into a form, as the values of their types. What cannot be one stays text, which is then found wrong. */
export function readTyped(form: Form, typed: (name: string) => string | undefined): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, { type }] of Object.entries(form.properties)) {
    const text = typed(name) ?? ''
    if (type === 'boolean') values[name] = text !== ''
    else if (text !== '') values[name] = type !== 'string' && Number.isFinite(Number(text)) ? Number(text) : text
  }
  return values
}

import type { TSchema } from 'typebox'
import { alternativesOf } from '#kit'
import { listFields, listForms } from '../openapi/plain-fields.ts'
import type { Plain } from '../openapi/plain-schema.ts'

/** How much is said of the fields: of their descriptions, and of the fields inside them. */
export interface Detail {
  descriptions: 'all' | 'first sentence' | 'none'
  /** Beyond this depth the fields of an object are told by their names only. */
  typedDepth: number
}

/** What the marks in a list of fields mean; printed once above it. */
export const FIELD_NOTATION = '`*` required, `=` default'

/** The fields of an operation, one a line: `- angle* 90|180|270: Clockwise.` */
export function listCompactFields(schema: TSchema, detail: Detail): string[] {
  const forms = listForms(schema)
  if (forms.length === 1) return listLines(forms[0]!, detail)
  return forms.flatMap((form, index) => [`Form ${index + 1}:`, ...listLines(form, detail)])
}

/** The same on one line, without descriptions: `file* Source, angle* 90|180|270, pages=all`. */
export function joinCompactFields(schema: TSchema, typedDepth = 1): string {
  return listForms(schema)
    .map(form => printFields(form, typedDepth))
    .join(' or ')
}

/** The same as a list of fields; several forms are one text. */
export function listFieldTexts(schema: TSchema, typedDepth: number): string[] {
  const forms = listForms(schema)
  return forms.length === 1 ? printEach(forms[0]!, typedDepth) : [joinCompactFields(schema, typedDepth)]
}

function listLines(schema: Plain, { descriptions, typedDepth }: Detail): string[] {
  return listFields(schema).map(({ name, field, isRequired }) => {
    const line = `- ${printField(name, field, isRequired, typedDepth)}`
    const description = descriptions !== 'none' && typeof field.description === 'string' && field.description
    return description ? `${line}: ${descriptions === 'all' ? description : firstSentence(description)}` : line
  })
}

export function firstSentence(text: string): string {
  return text.match(/^.*?[.;](?=\s|$)/)?.[0].replace(/[.;]$/, '') ?? text
}

/** A default tells the type of a text or a flag, so that is not printed again. */
function printField(name: string, field: Plain, isRequired: boolean, typedDepth: number): string {
  const { default: defaultValue } = field
  const isPlainDefault = ['string', 'number', 'boolean'].includes(typeof defaultValue)
  const shownDefault = isPlainDefault ? `=${String(defaultValue) || '""'}` : ''
  const type = printType(field, typedDepth)
  const isTypeClear = shownDefault !== '' && (type === 'boolean' || type === 'string')
  return `${name}${isRequired ? '*' : ''}${shownDefault}${isTypeClear ? '' : ` ${type}`}`
}

function printType(field: Plain, typedDepth: number): string {
  const { $ref, type, items, enum: values, const: constant, minItems, maxItems } = field
  if (typeof $ref === 'string') return printReference($ref.slice($ref.lastIndexOf('/') + 1))
  if (constant !== undefined) return String(constant)
  if (Array.isArray(values)) return values.join('|')
  const alternatives = alternativesOf(field) as Plain[]
  if (alternatives.length > 0) return [...new Set(alternatives.map(one => printType(one, typedDepth)))].join(' or ')
  if (type === 'array')
    return `[${items ? printType(items as Plain, typedDepth) : 'any'}]${printRange(minItems, maxItems)}`
  if (listFields(field).length > 0) return `{${printFields(field, typedDepth - 1)}}`
  const each = findEachValue(field)
  return each ? `{<name>: ${printType(each, typedDepth)}}` : printScalar(field)
}

/** What an object has for every name that callers choose, such as the type of each column. */
export function findEachValue({ patternProperties, additionalProperties }: Plain): Plain | undefined {
  const [byPattern] = Object.values((patternProperties as Record<string, Plain> | undefined) ?? {})
  const each = byPattern ?? additionalProperties
  return typeof each === 'object' && each !== null && Object.keys(each).length > 0 ? (each as Plain) : undefined
}

function printScalar({ type, examples, minimum, maximum }: Plain): string {
  if (type === 'string' && Array.isArray(examples)) return `string such as ${examples.join('|')}`
  if (type === 'number' || type === 'integer') return `${type}${printRange(minimum, maximum)}`
  return [type ?? 'any'].flat().join('|')
}

/** What takes rows in place of a file is told as it is sent. */
function printReference(name: string): string {
  return name === 'SourceOrRows' ? 'Source or {rows [object]}' : name
}

function printFields(schema: Plain, typedDepth: number): string {
  return printEach(schema, typedDepth).join(', ')
}

function printEach(schema: Plain, typedDepth: number): string[] {
  return listFields(schema).map(({ name, field, isRequired }) =>
    typedDepth < 0 ? `${name}${isRequired ? '*' : ''}` : printField(name, field, isRequired, typedDepth),
  )
}

function printRange(lower: unknown, upper: unknown): string {
  return lower === undefined && upper === undefined ? '' : ` ${lower ?? ''}..${upper ?? ''}`
}

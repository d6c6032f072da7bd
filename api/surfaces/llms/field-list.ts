import type { TSchema } from 'typebox'
import { alternativesOf, CALL_OPTIONS, FILE_CALL_OPTIONS } from '#kit'
import { listFields, withoutCommonFields } from '../openapi/plain-fields.ts'
import { type Plain, toPlainSchema } from '../openapi/plain-schema.ts'
import { findEachValue } from './compact-fields.ts'

/** A list of fields with its title, or undefined if there are none. For an operation, the common fields are left out. */
export function renderFieldSection(
  title: string,
  schema: TSchema | undefined,
  isOperation = false,
): string | undefined {
  if (!schema) return undefined
  const lines = listFieldLines(isOperation ? withoutCommonFields(toPlainSchema(schema)) : toPlainSchema(schema))
  return lines.length > 0 ? [`${title}:`, ...lines].join('\n') : undefined
}

/** The fields that every operation has, if there is any operation. */
export function commonFields(inputs: readonly (TSchema | undefined)[]): Plain | undefined {
  if (inputs.length === 0) return undefined
  return toPlainSchema({ type: 'object', properties: { ...CALL_OPTIONS, ...FILE_CALL_OPTIONS } })
}

const MAX_DEPTH = 3

/** One line per field, with nested fields below it. Deeper levels are only in the OpenAPI document. */
export function listFieldLines(schema: Plain, depth = 0): string[] {
  const indent = '  '.repeat(depth)
  const alternatives = alternativesOf(schema) as Plain[]
  if (alternatives.length > 0 && depth === 0)
    return alternatives.flatMap((alternative, index) => [
      `- alternative ${index + 1}:`,
      ...listFieldLines(alternative, depth + 1),
    ])
  return listFields(schema).flatMap(({ name, field, isRequired }) => {
    const optional = isRequired ? '' : ' (optional)'
    const description = field.description ? `: ${field.description}` : ''
    const inner = (field.items as Plain | undefined) ?? field
    const nested = depth < MAX_DEPTH ? listFieldLines({ ...inner, oneOf: undefined, anyOf: undefined }, depth + 1) : []
    return [`${indent}- \`${name}\` ${describeType(field)}${optional}${description}`, ...nested]
  })
}

function describeType(field: Plain): string {
  const { $ref, type, items, default: defaultValue } = field
  const defaultNote = defaultValue === undefined ? '' : `, default ${JSON.stringify(defaultValue)}`
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  const choices = describeChoices(field)
  if (choices) return `${choices}${defaultNote}`
  if (type === 'array')
    return `list of ${items ? describeType(items as Plain) : 'anything'}${describeBounds(field, 'minItems', 'maxItems')}${defaultNote}`
  const each = type === 'object' && listFields(field).length === 0 ? findEachValue(field) : undefined
  const values = each ? ` of ${describeType(each)} by name` : ''
  return `${[type ?? 'anything'].flat().join(' or ')}${values}${describeLimits(field)}${defaultNote}`
}

function describeChoices(field: Plain): string | undefined {
  const { enum: values, const: constant } = field
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(values)) return values.map(value => JSON.stringify(value)).join(' | ')
  const alternatives = alternativesOf(field) as Plain[]
  return alternatives.map(describeType).join(' | ') || undefined
}

function describeLimits(field: Plain): string {
  return `${describeBounds(field, 'minimum', 'maximum')}${describeBounds(field, 'minLength', 'maxLength')}`
}

function describeBounds(field: Plain, lower: string, upper: string): string {
  if (field[lower] === undefined && field[upper] === undefined) return ''
  return ` ${field[lower] ?? ''}..${field[upper] ?? ''}`
}

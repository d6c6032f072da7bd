import type { TSchema } from 'typebox'
import { CALL_OPTIONS, FILE_CALL_OPTIONS } from '#kit'
import { type Plain, plainSchema } from './plain-schema.ts'

const COMMON = new Set([...Object.keys(CALL_OPTIONS), ...Object.keys(FILE_CALL_OPTIONS)])

/** A list of fields below its title; nothing where there are none. Fields that every operation has may be left out. */
export function fieldsSection(title: string, schema: TSchema | undefined, isOperation = false): string | undefined {
  if (!schema) return undefined
  const lines = linesOf(isOperation ? withoutCommon(plainSchema(schema)) : plainSchema(schema))
  return lines.length > 0 ? [`${title}:`, ...lines].join('\n') : undefined
}

function withoutCommon(schema: Plain): Plain {
  const arms = (schema.oneOf ?? schema.anyOf) as Plain[] | undefined
  if (arms) return { ...schema, oneOf: arms.map(withoutCommon), anyOf: undefined }
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Plain>)
  return { ...schema, properties: Object.fromEntries(fields.filter(([name]) => !COMMON.has(name))) }
}

/** The fields that go with every operation, if there is any operation. */
export function commonFields(inputs: readonly (TSchema | undefined)[]): Plain | undefined {
  if (inputs.length === 0) return undefined
  return plainSchema({ type: 'object', properties: { ...CALL_OPTIONS, ...FILE_CALL_OPTIONS } })
}

const DEEPEST = 3

/** One line a field, those of inner objects below it; what goes deeper is left to the OpenAPI document. */
export function linesOf(schema: Plain, depth = 0): string[] {
  const indent = '  '.repeat(depth)
  const arms = (schema.oneOf ?? schema.anyOf) as Plain[] | undefined
  if (arms && depth === 0)
    return arms.flatMap((arm, index) => [`- either way ${index + 1}:`, ...linesOf(arm, depth + 1)])
  const required = new Set(schema.required as string[] | undefined)
  return Object.entries((schema.properties ?? {}) as Record<string, Plain>).flatMap(([name, field]) => {
    const optional = required.has(name) ? '' : ' (optional)'
    const said = field.description ? `: ${field.description}` : ''
    const inner = (field.items as Plain | undefined) ?? field
    const deeper = depth < DEEPEST ? linesOf({ ...inner, oneOf: undefined, anyOf: undefined }, depth + 1) : []
    return [`${indent}- \`${name}\` ${typeInWords(field)}${optional}${said}`, ...deeper]
  })
}

function typeInWords(field: Plain): string {
  const { $ref, type, items, default: usual } = field
  const unless = usual === undefined ? '' : `, ${JSON.stringify(usual)} unless said`
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  const choices = choicesOf(field)
  if (choices) return `${choices}${unless}`
  if (type === 'array')
    return `list of ${items ? typeInWords(items as Plain) : 'anything'}${boundsOf(field, 'minItems', 'maxItems')}${unless}`
  return `${[type ?? 'anything'].flat().join(' or ')}${limitsOf(field)}${unless}`
}

function choicesOf({ enum: words, const: only, oneOf, anyOf }: Plain): string | undefined {
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(words)) return words.map(word => JSON.stringify(word)).join(' | ')
  const arms = (oneOf ?? anyOf) as Plain[] | undefined
  return arms?.map(typeInWords).join(' | ')
}

function limitsOf(field: Plain): string {
  return `${boundsOf(field, 'minimum', 'maximum')}${boundsOf(field, 'minLength', 'maxLength')}`
}

function boundsOf(field: Plain, least: string, most: string): string {
  if (field[least] === undefined && field[most] === undefined) return ''
  return ` ${field[least] ?? ''}..${field[most] ?? ''}`
}

import type { Plain } from '../../openapi/plain-schema.ts'

/** The types of the client's own that stand for shared schemas; `Output` is a file of an answer. */
const SHARED: Readonly<Record<string, string>> = {
  Source: 'FileInput',
  SourceOrRows: 'FileInput | Rows',
  NamedSource: 'FileInput | Named',
  Output: 'OutputFile',
}

/** A JSON Schema, as the documents print it, as a type of TypeScript. */
export function printType(schema: Plain, indent = ''): string {
  const { $ref } = schema
  if (typeof $ref === 'string') return printReference($ref)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return join(schema.enum.map(word => JSON.stringify(word)))
  const own = printOwnType(schema, indent)
  const arms = [...listOf(schema.oneOf), ...listOf(schema.anyOf)].map(arm => printType(arm, indent))
  if (arms.length === 0) return own ?? 'unknown'
  const union = join(arms)
  return own === undefined || own === '{}' ? union : `${own} & (${union})`
}

function printReference(reference: string): string {
  const name = reference.slice(reference.lastIndexOf('/') + 1)
  return SHARED[name] ?? name
}

/** Undefined if only its alternatives say what it is. */
function printOwnType(schema: Plain, indent: string): string | undefined {
  const { type } = schema
  if (Array.isArray(type)) return join(type.map(one => printType({ ...schema, type: one as string }, indent)))
  if (type === 'object' || schema.properties) return printObject(schema, indent)
  if (type === 'array') return printList(schema, indent)
  return typeof type === 'string' ? (SIMPLE[type] ?? 'unknown') : undefined
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

function printList({ items, prefixItems }: Plain, indent: string): string {
  if (prefixItems)
    return `[${listOf(prefixItems)
      .map(item => printType(item, indent))
      .join(', ')}]`
  return items ? `Array<${printType(items as Plain, indent)}>` : 'unknown[]'
}

function printObject({ properties = {}, required, additionalProperties, ...rest }: Plain, indent: string): string {
  const needed = new Set(required as string[] | undefined)
  const fields = Object.entries(properties as Record<string, Plain>)
  const hasArms = Boolean(rest.oneOf ?? rest.anyOf)
  const others = typeof additionalProperties === 'object' ? printType(additionalProperties as Plain, indent) : 'unknown'
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  if (fields.length === 0) return isOpen || !hasArms ? `Record<string, ${isOpen ? others : 'unknown'}>` : '{}'
  const inner = `${indent}  `
  const lines = fields.map(([name, field]) => {
    const mark = needed.has(name) ? '' : '?'
    return `${printComment(field, inner)}${inner}${printName(name)}${mark}: ${printType(field, inner)}`
  })
  // Known fields have types of their own, which need not fit that of the others.
  const open = isOpen ? [`${inner}[name: string]: unknown`] : []
  return `{\n${[...lines, ...open].join('\n')}\n${indent}}`
}

export function printName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}

function printComment({ description, default: value }: Plain, indent: string): string {
  const sentences = [description, value !== undefined && `Default: ${JSON.stringify(value)}.`]
  return printDoc(sentences.filter(Boolean).join(' '), indent)
}

/** A text from a declaration cannot end the comment that it stands in. */
export function printDoc(text: string, indent: string): string {
  return text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */\n`
}

function join(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function listOf(value: unknown): Plain[] {
  return Array.isArray(value) ? (value as Plain[]) : []
}

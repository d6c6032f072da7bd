import { OUTPUT_RULE } from '#kit'
import type { SurfaceOptions } from '../entries.ts'
import { buildInputSchema } from '../mcp/input-schema.ts'
import type { Plain } from '../openapi/plain-schema.ts'
import type { ClientCall, PlainEntry } from './calls.ts'

/** An argument as the command line shows and reads it. */
export interface ArgumentHelp {
  name: string
  /** `string`, `integer`, `number`, `boolean`, `file`, `list` or `json`. */
  type: string
  /** Of the items of a list. */
  items?: string
  description?: string
  choices?: unknown[]
  default?: unknown
  isRequired?: boolean
}

export interface CallHelp {
  description?: string
  arguments: ArgumentHelp[]
  /** The arguments of the first example. */
  example?: unknown
  /** Its answer is always a file of bytes, of which a pipe takes one. */
  isBytes?: true
}

/** The clients set these themselves. */
const OWN = new Set(['async', 'dryRun', 'idempotencyKey', 'idempotency_key', 'dry_run'])

/** What the command line knows of a call: its arguments in one list, as its tool has them. */
export function describeArguments(
  call: ClientCall,
  entry: PlainEntry,
  options: Pick<SurfaceOptions, 'canFetch'>,
): CallHelp {
  const { properties, required = [] } = buildInputSchema(entry, options) as {
    properties: Record<string, Plain>
    required?: string[]
  }
  const listed = Object.entries(properties).filter(([name]) => !OWN.has(name))
  const described = listed.map(([name, field]) => describeArgument(name, field, call, required.includes(name)))
  const [example] = entry.examples
  return {
    ...(entry.description !== undefined && { description: entry.description }),
    arguments: described,
    ...(example && { example: call.body === 'fields' ? example.input : { body: example.input } }),
    ...(makesBytes(entry) && { isBytes: true }),
  }
}

interface Output {
  [OUTPUT_RULE]?: { contentTypes: string[] }
}

const TEXT_TYPES = /^(text\/|application\/(json|x-ndjson|xml)|\*)/

function makesBytes({ reply }: PlainEntry): boolean {
  const { properties = {} } = (reply.schema ?? {}) as { properties?: Record<string, Output> }
  const types = properties.output?.[OUTPUT_RULE]?.contentTypes ?? []
  return types.length > 0 && !types.some(type => TEXT_TYPES.test(type))
}

function describeArgument(name: string, field: Plain, { files }: ClientCall, isRequired: boolean): ArgumentHelp {
  const { description, default: value, enum: choices } = field as Partial<ArgumentHelp> & { enum?: unknown[] }
  const items = (field.items ?? {}) as Plain
  const type = typeOf(field, files.includes(name))
  return {
    name,
    type,
    ...(type === 'list' && { items: typeOf(items, files.includes(`${name}.*`)) }),
    ...(description !== undefined && { description }),
    ...(choices && { choices }),
    ...(!choices && Array.isArray(items.enum) && { choices: items.enum }),
    ...(value !== undefined && { default: value }),
    ...(isRequired && { isRequired }),
  }
}

const SIMPLE = new Set(['string', 'integer', 'number', 'boolean'])

function typeOf(field: Plain, isFile: boolean): string {
  if (isFile) return 'file'
  const types = [field, ...((field.anyOf ?? []) as Plain[])].map(({ type }) => type).filter(type => type !== 'null')
  const [first = 'json'] = types.filter(type => type !== undefined)
  if (new Set(types.filter(Boolean)).size > 1) return 'json'
  if (first === 'array') return 'list'
  return SIMPLE.has(String(first)) ? String(first) : 'json'
}

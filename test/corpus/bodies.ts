import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { FILE_RULE, type FileRule, markedPlaces, type Place, withReplaced } from '#kit'
import type { NamedOperation } from '../../tasks/index.ts'
import type { Dice } from './dice.ts'
import type { Family } from './sample.ts'

/** A body of an operation with a gap where the sample goes. */
export interface Body {
  /** The title of the example it was made of. */
  title: string
  input: unknown
  gap: Place['path']
  /** What goes into the gap: a source of a file, or its text. */
  takes: 'file' | 'text'
  accept: readonly string[]
}

/** Texts that a caller may give as a file instead, and those that only come as text. */
const INSTEAD_OF_FILE = ['text', 'texts', 'html', 'content']
const TEXTS = ['text', 'html', 'template', 'markdown', 'content', 'token', 'color']
const ANY_TYPE = ['*/*']

/** Every body that the declared examples of an operation make once one of their files or texts is taken out. */
export function bodiesOf(operation: NamedOperation): Body[] {
  const examples = [...operation.examples, ...leastOf(operation)]
  return examples.flatMap(({ title, input }) => {
    const example = withSources(input) as Record<string, unknown>
    const files = markedPlaces(FILE_RULE, operation.input, example).map(({ path, mark }) => ({
      ...{ title, input: example, gap: path, takes: 'file' as const },
      accept: (mark as FileRule).accept,
    }))
    return [...files, ...asFile(operation.input, title, example), ...asText(title, example)]
  })
}

/** The first example without what may be left out. */
function leastOf({
  input: schema,
  examples,
  errors,
}: NamedOperation): { title: string; input: Record<string, unknown> }[] {
  const { properties, required = [] } = schema as { properties?: Record<string, object>; required?: string[] }
  const [first] = examples
  // Some want one of several fields, of which none is needed by itself.
  if (!properties || !first || errors.includes('MISSING_FIELD')) return []
  const needed = Object.keys(first.input).filter(
    name => required.includes(name) && !('default' in (properties[name] ?? {})),
  )
  const input = Object.fromEntries(needed.map(name => [name, first.input[name]]))
  return [{ title: 'No more than is needed', input }]
}

/** The same example with its text in a file. */
function asFile(schema: TSchema, title: string, example: Record<string, unknown>): Body[] {
  const given = INSTEAD_OF_FILE.filter(name => name in example)
  const rule = fileRuleOf(schema)
  if (!rule || given.length === 0 || 'file' in example) return []
  const input = Object.fromEntries(Object.entries(example).filter(([name]) => !given.includes(name)))
  return [{ title, input, gap: ['file'], takes: 'file', accept: rule.accept }]
}

interface Fields {
  properties?: { file?: Record<string, unknown> }
  oneOf?: TSchema[]
  anyOf?: TSchema[]
}

function fileRuleOf(schema: TSchema): FileRule | undefined {
  const { properties, oneOf = [], anyOf = [] } = schema as Fields
  const own = properties?.file?.[FILE_RULE] as FileRule | undefined
  return own ?? [...oneOf, ...anyOf].map(fileRuleOf).find(rule => rule !== undefined)
}

function asText(title: string, example: Record<string, unknown>): Body[] {
  return [...TEXTS, 'pattern']
    .filter(name => typeof example[name] === 'string')
    .map(name => ({
      title,
      input: example,
      gap: [name],
      takes: 'text',
      accept: name === 'pattern' ? ['pattern'] : ANY_TYPE,
    }))
}

/** Whether a body is made for samples of a family; what is not is still tried now and then. */
export function suits({ takes, accept }: Body, operation: NamedOperation, family: Family): boolean {
  if (accept[0] === 'pattern' || family === 'pattern') return accept[0] === 'pattern' && family === 'pattern'
  if (takes === 'text') return isReadable(family)
  if (!accept.includes('*/*')) return TYPES[family].some(type => accept.some(accepted => accepted.startsWith(type)))
  return (TAKEN_BY[operation.family] ?? (() => true))(family)
}

const TYPES: Record<Family, readonly string[]> = {
  pdf: ['application/pdf'],
  image: ['image/'],
  archive: ['application/zip', 'application/x-tar', 'application/gzip'],
  table: ['text/csv', 'text/tab-separated-values'],
  json: ['application/json', 'application/x-ndjson'],
  html: ['text/html'],
  text: ['text/plain', 'text/markdown'],
  pattern: [],
  other: [],
}

/** What an operation that takes every type makes something of goes by its family. */
const TAKEN_BY: Record<string, (family: Family) => boolean> = {
  text: isReadable,
  csv: family => family === 'table' || family === 'json' || family === 'other',
  archive: family => family === 'archive' || family === 'other',
}

function isReadable(family: Family): boolean {
  return ['html', 'text', 'json', 'table', 'other'].includes(family)
}

/** The bodies an operation is asked with for one sample: one of those that suit, or all. */
export function chosenBodies(
  operation: NamedOperation,
  bodies: readonly Body[],
  family: Family,
  dice: Dice,
  isThorough: boolean,
): Body[] {
  const fitting = bodies.filter(body => suits(body, operation, family))
  return isThorough || fitting.length < 2 ? fitting : [dice.pick(fitting)]
}

export function filled({ input, gap }: Body, value: unknown): Record<string, unknown> {
  const around = gap.slice(0, -1).reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], input)
  const before = (around as Record<string, unknown>)[gap.at(-1)!] as { name?: string } | undefined
  const named = typeof value === 'object' && before?.name ? { ...value, name: before.name } : value
  return withReplaced(input, gap, named) as Record<string, unknown>
}

/** `sample:name` stands for the bytes of a file of test/samples. */
function withSources(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('sample:') ? { inline: inlined(value) } : value
  if (Array.isArray(value)) return value.map(withSources)
  if (typeof value !== 'object' || value === null) return value
  const { inputKey, ...rest } = value as { inputKey?: unknown }
  if (typeof inputKey === 'string' && inputKey.startsWith('sample:')) return { ...rest, inline: inlined(inputKey) }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withSources(item)]))
}

function inlined(name: string): string {
  return readFileSync(new URL(`../samples/${name.slice('sample:'.length)}`, import.meta.url)).toString('base64')
}

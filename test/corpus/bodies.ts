import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { FILE_RULE, type FileRule, findMarkedValues, type MarkedValue, replaceAt } from '#kit'
import type { NamedOperation } from '../../tasks/index.ts'
import type { SeededRandom } from './random.ts'
import type { Family } from './samples/kinds.ts'

/** A body of an operation with a gap for the sample. */
export interface Body {
  /** The title of the example it was made from. */
  title: string
  input: unknown
  gap: MarkedValue['path']
  /** What goes into the gap: a file source, or the text of the sample. */
  takes: 'file' | 'text'
  accept: readonly string[]
}

/** Text fields that a caller may replace by `file`, and all fields that take a text. */
const INSTEAD_OF_FILE = ['text', 'texts', 'html', 'markdown', 'content']
const TEXTS = ['text', 'html', 'template', 'markdown', 'content', 'token', 'color']
const ANY_TYPE = ['*/*']

/** Every body that results from a declared example by taking out one of its files or texts. */
export function listBodies(operation: NamedOperation): Body[] {
  const examples = [...operation.examples, ...minimalExamples(operation)]
  return examples.flatMap(({ title, input }) => {
    const example = withSources(input) as Record<string, unknown>
    const files = findMarkedValues(FILE_RULE, operation.input, example).map(({ path, mark }) => ({
      ...{ title, input: example, gap: path, takes: 'file' as const },
      accept: (mark as FileRule).accept,
    }))
    return [...files, ...bodiesWithTextAsFile(operation.input, title, example), ...bodiesWithText(title, example)]
  })
}

/** The first example without its optional fields. */
function minimalExamples({
  input: schema,
  examples,
  errors,
}: NamedOperation): { title: string; input: Record<string, unknown> }[] {
  const { properties, required = [] } = schema as { properties?: Record<string, object>; required?: string[] }
  const [first] = examples
  // Such an operation needs one of several fields, but the schema requires none of them.
  if (!properties || !first || errors.includes('MISSING_FIELD')) return []
  const needed = Object.keys(first.input).filter(
    name => required.includes(name) && !('default' in (properties[name] ?? {})),
  )
  const input = Object.fromEntries(needed.map(name => [name, first.input[name]]))
  return [{ title: 'Only the required fields', input }]
}

/** The same example, with its text as a file. */
function bodiesWithTextAsFile(schema: TSchema, title: string, example: Record<string, unknown>): Body[] {
  const textFields = INSTEAD_OF_FILE.filter(name => name in example)
  const rule = findFileRule(schema)
  if (!rule || textFields.length === 0 || 'file' in example) return []
  const input = Object.fromEntries(Object.entries(example).filter(([name]) => !textFields.includes(name)))
  return [{ title, input, gap: ['file'], takes: 'file', accept: rule.accept }]
}

interface Fields {
  properties?: { file?: Record<string, unknown> }
  oneOf?: TSchema[]
  anyOf?: TSchema[]
}

function findFileRule(schema: TSchema): FileRule | undefined {
  const { properties, oneOf = [], anyOf = [] } = schema as Fields
  const own = properties?.file?.[FILE_RULE] as FileRule | undefined
  return own ?? [...oneOf, ...anyOf].map(findFileRule).find(rule => rule !== undefined)
}

function bodiesWithText(title: string, example: Record<string, unknown>): Body[] {
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

/** Whether a body is meant for samples of a family. Other combinations are tried only now and then. */
export function isSuitable({ takes, accept }: Body, operation: NamedOperation, family: Family): boolean {
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

/** The sample families that suit operations that accept any type, by the family of the operation. */
const TAKEN_BY: Record<string, (family: Family) => boolean> = {
  text: isReadable,
  csv: family => family === 'table' || family === 'json' || family === 'other',
  archive: family => family === 'archive' || family === 'other',
}

function isReadable(family: Family): boolean {
  return ['html', 'text', 'json', 'table', 'other'].includes(family)
}

/** The bodies to try for one sample: one of the suitable ones, or all. */
export function chooseBodies(
  operation: NamedOperation,
  bodies: readonly Body[],
  family: Family,
  random: SeededRandom,
  isThorough: boolean,
): Body[] {
  const suitable = bodies.filter(body => isSuitable(body, operation, family))
  return isThorough || suitable.length < 2 ? suitable : [random.pick(suitable)]
}

export function fillBody({ input, gap }: Body, value: unknown): Record<string, unknown> {
  const parent = gap.slice(0, -1).reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], input)
  const replaced = (parent as Record<string, unknown>)[gap.at(-1)!] as { name?: string } | undefined
  const withName = typeof value === 'object' && replaced?.name ? { ...value, name: replaced.name } : value
  return replaceAt(input, gap, withName) as Record<string, unknown>
}

/** `sample:name` stands for the bytes of a file in tasks/samples. */
function withSources(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('sample:') ? { inline: readSampleBase64(value) } : value
  if (Array.isArray(value)) return value.map(withSources)
  if (typeof value !== 'object' || value === null) return value
  const { inputKey, ...rest } = value as { inputKey?: unknown }
  if (typeof inputKey === 'string' && inputKey.startsWith('sample:'))
    return { ...rest, inline: readSampleBase64(inputKey) }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withSources(item)]))
}

function readSampleBase64(name: string): string {
  return readFileSync(new URL(`../../tasks/samples/${name.slice('sample:'.length)}`, import.meta.url)).toString(
    'base64',
  )
}

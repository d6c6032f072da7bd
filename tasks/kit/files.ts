import type { TSchema } from 'typebox'
import { FILE_RULE, type FileRule, OUTPUT_RULE, SECRET_RULE } from './schema.ts'

/** An input file between its arrival and its run: where its bytes are, and what they showed to be. Plain data. */
export interface StagedFile {
  /** In the object store; absent where the bytes are few and travel along. */
  key?: string
  /** Base64. */
  inline?: string
  type: string
  sizeBytes: number
  name?: string
  sha256?: string
}

/** An output file between its run and the answer. Plain data. */
export interface StoredOutput {
  key?: string
  inline?: string
  sizeBytes: number
  contentType: string
  name: string
}

/** Files of at most this size travel inside the job instead of through the object store. */
export const INLINE_FILE_BYTES = 16 * 1024

/** A spot of a value whose schema carries a mark. */
export interface Place {
  path: readonly (string | number)[]
  /** What the schema says at the mark. */
  mark: unknown
  value: unknown
}

export interface Slot<Rule> {
  rule: Rule
  /** `file`, `files.2`. */
  field: string
  /** Which of several, where the field is a list. */
  index?: number
}

/** Which password opens a file: `password` the field `file`, `<field>Password` any other, one of `passwords` a list's. */
export function passwordFor(input: unknown, field: string, index?: number): string | null | undefined {
  const given = input as Record<string, unknown> & { passwords?: (string | null)[] }
  if (index !== undefined) return given.passwords?.[index]
  return given[field === 'file' ? 'password' : `${field}Password`] as string | undefined
}

type Visit<Rule> = (value: unknown, slot: Slot<Rule>) => unknown

/** Replaces every file source of an input by what `visit` makes of it, one after the other. */
export function mapFiles(schema: TSchema, input: unknown, visit: Visit<FileRule>): Promise<unknown> {
  return mapMarked(FILE_RULE, schema, input, visit)
}

/** Replaces every output file of a result by what `visit` makes of it, one after the other. */
export function mapOutputs(
  schema: TSchema,
  result: unknown,
  visit: Visit<{ contentTypes: readonly string[] }>,
): Promise<unknown> {
  return mapMarked(OUTPUT_RULE, schema, result, visit)
}

/** Replaces every secret of an input by what `visit` makes of it. */
export function mapSecrets(schema: TSchema, input: unknown, visit: (secret: string) => string): Promise<unknown> {
  return mapMarked(SECRET_RULE, schema, input, secret => visit(secret as string))
}

async function mapMarked<Rule>(mark: string, schema: TSchema, value: unknown, visit: Visit<Rule>): Promise<unknown> {
  let mapped = value
  for (const place of markedPlaces(mark, schema, value)) {
    mapped = withReplaced(mapped, place.path, await visit(place.value, slotOf<Rule>(place)))
  }
  return mapped
}

export function slotOf<Rule>({ path, mark }: Place): Slot<Rule> {
  const last = path.at(-1)
  const slot = { rule: mark as Rule, field: path.join('.') }
  return typeof last === 'number' ? { ...slot, index: last } : slot
}

/** Every spot of `value` at which its schema carries `mark`: inside objects, lists and the arms that fit. */
export function markedPlaces(mark: string, schema: TSchema, value: unknown): Place[] {
  const places: Place[] = []
  walk(mark, schema as Words, value, [], places)
  return places
}

/** A copy that shares everything off the path with the original. */
export function withReplaced(value: unknown, path: readonly (string | number)[], replacement: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return replacement
  if (Array.isArray(value)) return value.with(step as number, withReplaced(value[step as number], rest, replacement))
  const object = value as Record<string, unknown>
  return { ...object, [step]: withReplaced(object[step], rest, replacement) }
}

type Words = TSchema & {
  type?: string
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Words>
  required?: string[]
  items?: Words
  oneOf?: Words[]
  anyOf?: Words[]
  [mark: string]: unknown
}

function walk(mark: string, schema: Words, value: unknown, path: Place['path'], places: Place[]): void {
  if (value === undefined || value === null || !isMarked(mark, schema)) return
  if (mark in schema) {
    for (const spot of spotsOf(schema, value, path)) places.push({ ...spot, mark: schema[mark] })
    return
  }
  const arm = armFor(schema.oneOf ?? schema.anyOf ?? [], value)
  if (arm) walk(mark, arm, value, path, places)
  for (const [step, part, inner] of partsOf(schema, value)) walk(mark, part, inner, [...path, step], places)
}

function spotsOf(schema: Words, value: unknown, path: Place['path']): Omit<Place, 'mark'>[] {
  if (schema.type !== 'array' || !Array.isArray(value)) return [{ path, value }]
  return value.map((item: unknown, index) => ({ path: [...path, index], value: item }))
}

function partsOf({ items, properties }: Words, value: unknown): [string | number, Words, unknown][] {
  if (Array.isArray(value)) return items ? value.map((item: unknown, index) => [index, items, item]) : []
  if (typeof value !== 'object' || value === null || !properties) return []
  const names = Object.keys(properties).filter(name => Object.hasOwn(value, name))
  return names.map(name => [name, properties[name]!, (value as Record<string, unknown>)[name]])
}

const marked = new Map<string, WeakMap<object, boolean>>()

/** Whether a schema has such a mark anywhere. Remembered for each schema, so that no call walks a large value in which nothing can be found. */
export function hasMark(mark: string, schema: TSchema): boolean {
  return isMarked(mark, schema as Words)
}

function isMarked(mark: string, schema: Words): boolean {
  const known = marked.get(mark) ?? new WeakMap<object, boolean>()
  marked.set(mark, known)
  let answer = known.get(schema)
  if (answer === undefined) {
    const inside = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...Object.values(schema.properties ?? {})]
    if (schema.items) inside.push(schema.items)
    answer = mark in schema || inside.some(part => isMarked(mark, part))
    known.set(schema, answer)
  }
  return answer
}

function armFor(arms: Words[], value: unknown): Words | undefined {
  return arms.find(arm => fits(arm, value))
}

/** Enough of a check to tell arms apart: type, required fields, and fields with one fixed word. */
function fits(schema: Words, value: unknown): boolean {
  if ('const' in schema && schema.const !== value) return false
  if (schema.enum && !schema.enum.includes(value)) return false
  if (schema.type !== undefined && schema.type !== typeName(value)) return false
  if (typeName(value) !== 'object') return true
  const object = value as Record<string, unknown>
  if (schema.required?.some(name => object[name] === undefined)) return false
  const fixed = Object.entries(schema.properties ?? {}).filter(([, field]) => 'const' in field || field.enum)
  return fixed.every(([name, field]) => object[name] === undefined || fits(field, object[name]))
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

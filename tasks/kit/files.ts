import type { TSchema } from 'typebox'
import { FILE_RULE, type FileRule, type FileSettings, OUTPUT_RULE, SECRET_RULE, type StepSource } from './schema.ts'
import { alternativesOf, childSchemas, requiredFromCaller, type SchemaNode } from './schema-walk.ts'

/** An input file between its upload and the run: where its bytes are, and the type they were found to have. Plain data. */
export interface StagedFile {
  /** In the object store; absent if the file is small enough to travel inline. */
  key?: string
  /** Base64. */
  inline?: string
  /** The worker fetches it; until then the type is `UNFETCHED_TYPE` and `sizeBytes` is the most that it may have. */
  url?: string
  /** What a product keeps, if the bytes are drawn from that before the run. */
  drawn?: DrawnSource
  type: string
  sizeBytes: number
  name?: string
  sha256?: string
  options?: FileSettings
}

/** One state of what a product keeps, and who reads it, as the database knows callers. */
export interface DrawnSource {
  /** The field of a source that names it, such as `batonId`. */
  field: string
  by: object
  id: string
  seq: number
}

/** What the staged files of an input are drawn from. */
export function listDrawnSources(schema: TSchema, input: unknown): DrawnSource[] {
  if (!hasMark(FILE_RULE, schema)) return []
  const files = findMarkedValues(FILE_RULE, schema, input).map(({ value }) => value as StagedFile)
  return files.flatMap(({ drawn }) => drawn ?? [])
}

/** Of a file that is not fetched yet. A price that depends on the type counts it as the dearest. */
export const UNFETCHED_TYPE = ''

/** An output file between the run and the answer. Plain data. */
export interface StoredOutput {
  key?: string
  inline?: string
  sizeBytes: number
  contentType: string
  name: string
  /** For the receipt of the call; of large files it is computed when that is asked for. */
  sha256?: string
}

/** Files of at most this size travel inside the job instead of through the object store. */
export const INLINE_FILE_BYTES = 16 * 1024

/** A value whose schema carries a mark, which is one of our own keywords such as `x-file`. */
export interface MarkedValue {
  path: readonly (string | number)[]
  /** The value of the keyword in the schema. */
  mark: unknown
  value: unknown
}

export interface Slot<Rule> {
  rule: Rule
  /** `file`, `files.2`. */
  field: string
  /** Position in the list, if the field is a list. */
  index?: number
}

/**
 * The password for a file: `password` for the field `file`, `passwordA` for `a`, `<field>Password` for others,
 * `passwords[index]` for a list.
 */
export function passwordFor(input: unknown, field: string, index?: number): string | null | undefined {
  const given = input as Record<string, unknown> & { passwords?: (string | null)[] }
  if (index !== undefined) return given.passwords?.[index]
  if (field === 'file') return given.password as string | undefined
  return given[field.length === 1 ? `password${field.toUpperCase()}` : `${field}Password`] as string | undefined
}

type Visit<Rule> = (value: unknown, slot: Slot<Rule>) => unknown

/** Replaces every file source of an input by the result of `visit`, one after the other. */
export function mapFiles(schema: TSchema, input: unknown, visit: Visit<FileRule>): Promise<unknown> {
  return mapMarked(FILE_RULE, schema, input, visit)
}

/** Replaces every output file of a result by the result of `visit`, one after the other. */
export function mapOutputs(
  schema: TSchema,
  result: unknown,
  visit: Visit<{ contentTypes: readonly string[] }>,
): Promise<unknown> {
  return mapMarked(OUTPUT_RULE, schema, result, visit)
}

/** Replaces every secret of an input by the result of `visit`. */
export function mapSecrets(schema: TSchema, input: unknown, visit: (secret: string) => string): Promise<unknown> {
  return mapMarked(SECRET_RULE, schema, input, secret => visit(secret as string))
}

async function mapMarked<Rule>(mark: string, schema: TSchema, value: unknown, visit: Visit<Rule>): Promise<unknown> {
  let mapped = value
  for (const marked of findMarkedValues(mark, schema, value)) {
    mapped = replaceAt(mapped, marked.path, await visit(marked.value, slotOf<Rule>(marked)))
  }
  return mapped
}

export function slotOf<Rule>({ path, mark }: MarkedValue): Slot<Rule> {
  const last = path.at(-1)
  const slot = { rule: mark as Rule, field: path.join('.') }
  return typeof last === 'number' ? { ...slot, index: last } : slot
}

/**
 * Finds every value inside `value` whose schema carries `mark`: in objects, in lists and in the alternative that fits.
 * Where a file is the result of a step, there is none yet.
 */
export function findMarkedValues(mark: string, schema: TSchema, value: unknown): MarkedValue[] {
  const found: MarkedValue[] = []
  collectMarked(mark, schema, value, [], found)
  return mark === FILE_RULE ? found.filter(({ value: source }) => !isStepSource(source)) : found
}

/** Finds the results of steps that an input names in place of files. */
export function findStepSources(schema: TSchema, input: unknown): (MarkedValue & { value: StepSource })[] {
  const found: MarkedValue[] = []
  collectMarked(FILE_RULE, schema, input, [], found)
  return found.filter((marked): marked is MarkedValue & { value: StepSource } => isStepSource(marked.value))
}

function isStepSource(value: unknown): value is StepSource {
  return typeof value === 'object' && value !== null && 'step' in value
}

/** Returns a copy with the value at `path` replaced; everything off the path is shared with the original. */
export function replaceAt(value: unknown, path: readonly (string | number)[], replacement: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return replacement
  if (Array.isArray(value)) return value.with(step as number, replaceAt(value[step as number], rest, replacement))
  const object = value as Record<string, unknown>
  return { ...object, [step]: replaceAt(object[step], rest, replacement) }
}

function collectMarked(
  mark: string,
  schema: SchemaNode,
  value: unknown,
  path: MarkedValue['path'],
  found: MarkedValue[],
): void {
  if (value === undefined || value === null || !hasMark(mark, schema)) return
  if (mark in schema) {
    const markValue = (schema as Record<string, unknown>)[mark]
    for (const item of markedItems(schema, value, path)) found.push({ ...item, mark: markValue })
    return
  }
  const alternative = alternativesOf(schema).find(candidate => fitsAlternative(candidate, value))
  if (alternative) collectMarked(mark, alternative, value, path, found)
  for (const [step, child, inner] of childValues(mark, schema, value)) {
    collectMarked(mark, child, inner, [...path, step], found)
  }
}

/** A mark on a list applies to each of its items. */
function markedItems(schema: SchemaNode, value: unknown, path: MarkedValue['path']): Omit<MarkedValue, 'mark'>[] {
  if (schema.type !== 'array' || !Array.isArray(value)) return [{ path, value }]
  return value.map((item: unknown, index) => ({ path: [...path, index], value: item }))
}

function childValues(mark: string, schema: SchemaNode, value: unknown): [string | number, SchemaNode, unknown][] {
  if (Array.isArray(value)) return itemSchemas(schema, value)
  if (typeof value !== 'object' || value === null) return []
  const object = value as Record<string, unknown>
  const fields = markedFields(mark, schema).filter(([name]) => Object.hasOwn(value, name))
  const others = schema.additionalProperties
  const named = typeof others === 'object' && hasMark(mark, others) ? Object.keys(object) : []
  return [
    ...fields.map(([name, field]) => [name, field, object[name]] as [string, SchemaNode, unknown]),
    ...named
      .filter(name => !Object.hasOwn(schema.properties ?? {}, name))
      .map(name => [name, others, object[name]] as [string, SchemaNode, unknown]),
  ]
}

function itemSchemas(
  { items, prefixItems }: SchemaNode,
  list: readonly unknown[],
): [index: number, schema: SchemaNode, item: unknown][] {
  return list.flatMap((item, index) => {
    const schema = prefixItems?.[index] ?? items
    return schema ? [[index, schema, item] as [number, SchemaNode, unknown]] : []
  })
}

const fieldsByMark = new Map<string, WeakMap<object, [name: string, field: SchemaNode][]>>()

/** The fields in which such a mark can be found, kept for each schema because every call asks several times. */
function markedFields(mark: string, { properties }: SchemaNode): [name: string, field: SchemaNode][] {
  if (!properties) return []
  const known = fieldsByMark.get(mark) ?? new WeakMap<object, [string, SchemaNode][]>()
  fieldsByMark.set(mark, known)
  let fields = known.get(properties)
  if (!fields) {
    fields = Object.entries(properties).filter(([, field]) => hasMark(mark, field))
    known.set(properties, fields)
  }
  return fields
}

const marksBySchema = new Map<string, WeakMap<object, boolean>>()

/**
 * Whether a schema has such a mark anywhere. The answer is kept for each schema, so that no call walks a large value in
 * which nothing can be found.
 */
export function hasMark(mark: string, schema: TSchema): boolean {
  const known = marksBySchema.get(mark) ?? new WeakMap<object, boolean>()
  marksBySchema.set(mark, known)
  let isFound = known.get(schema)
  if (isFound === undefined) {
    isFound = mark in schema || childSchemas(schema).some(child => hasMark(mark, child))
    known.set(schema, isFound)
  }
  return isFound
}

/** Checks enough to tell alternatives apart: type, required fields, and fields with fixed values. */
function fitsAlternative(schema: SchemaNode, value: unknown): boolean {
  if ('const' in schema && schema.const !== value) return false
  if (schema.enum && !schema.enum.includes(value)) return false
  if (schema.type !== undefined && !isOfType(schema.type, value)) return false
  if (typeName(value) !== 'object') return true
  const object = value as Record<string, unknown>
  // Of an example the defaults are not filled in.
  if (requiredFromCaller(schema).some(name => object[name] === undefined)) return false
  const fixed = Object.entries(schema.properties ?? {}).filter(([, field]) => 'const' in field || field.enum)
  return fixed.every(([name, field]) => object[name] === undefined || fitsAlternative(field, object[name]))
}

function isOfType(type: string, value: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : type === typeName(value)
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

import { isOfFormat } from './formats.ts'
import { escapeName, isRecord, resolveReference } from './schema-form.ts'

/** What a value lacks to fit a schema. */
interface SchemaFault {
  path: string
  message: string
}

/** Tells of each text whether a pattern is in it, in time linear in its length. */
export type TestPattern = (pattern: string, texts: readonly string[]) => Promise<boolean[]>

type Node = Record<string, unknown>

const MAX_FAULTS = 20
const MAX_DEPTH = 64
const MAX_REFERENCES = 10
const MAX_STEPS = 200_000
const KNOWN_TYPES: Record<string, (value: unknown) => boolean> = {
  object: isRecord,
  array: Array.isArray,
  string: value => typeof value === 'string',
  number: value => typeof value === 'number',
  integer: Number.isInteger,
  boolean: value => typeof value === 'boolean',
  null: value => value === null,
}

/**
 * Compares a value with a well-formed schema of a caller, which is not compiled, because it may be anything. Patterns that
 * are met are tested together, and what depends on them is looked at again.
 */
export async function findSchemaFaults(
  schema: unknown,
  value: unknown,
  testPattern: TestPattern,
): Promise<SchemaFault[]> {
  const known = new Map<string, boolean>()
  for (;;) {
    const asked = new Map<string, Set<string>>()
    const matches = (pattern: string, text: string): boolean => {
      const answer = known.get(`${pattern}\0${text}`)
      if (answer === undefined) asked.set(pattern, (asked.get(pattern) ?? new Set()).add(text))
      return answer ?? true
    }
    const faults: SchemaFault[] = []
    check({ root: schema, faults, matches, budget: { left: MAX_STEPS } }, schema, value, '', 0)
    if (asked.size === 0) return faults.slice(0, MAX_FAULTS)
    for (const [pattern, texts] of asked) {
      const answers = await testPattern(pattern, [...texts])
      for (const [index, text] of [...texts].entries()) known.set(`${pattern}\0${text}`, answers[index]!)
    }
  }
}

interface Walk {
  root: unknown
  faults: SchemaFault[]
  matches(pattern: string, text: string): boolean
  /** References that lead back to themselves could go on for ever. */
  budget: { left: number }
}

function check(walk: Walk, schema: unknown, value: unknown, path: string, depth: number): void {
  if (schema === true || schema === undefined || walk.faults.length >= MAX_FAULTS) return
  const add = (message: string) => walk.faults.push({ path, message })
  if (walk.budget.left-- <= 0) return void add('cannot be checked: the schema is too complex')
  if (schema === false || depth > MAX_DEPTH) return void add('must not be there')
  const node = resolve(walk.root, schema as Node)
  if (!hasType(node, value)) return void add(`must be ${[node.type].flat().join(' or ')}`)
  if (Array.isArray(node.enum) && !node.enum.some(one => isSame(one, value))) add('must be one of the allowed values')
  if ('const' in node && !isSame(node.const, value)) add(`must be ${JSON.stringify(node.const)}`)
  checkContent(walk, node, value, path, depth)
  checkCombined(walk, node, value, path, depth)
}

function checkContent(walk: Walk, node: Node, value: unknown, path: string, depth: number): void {
  const add = (message: string) => walk.faults.push({ path, message })
  if (typeof value === 'string') checkText(walk, node, value, add)
  else if (typeof value === 'number') checkNumber(node, value, add)
  else if (Array.isArray(value)) checkList(walk, node, value, path, depth)
  else if (isRecord(value)) checkObject(walk, node, value, path, depth)
}

/** What stands beside a reference counts too. */
function resolve(root: unknown, node: Node): Node {
  let found = node
  for (let steps = 0; typeof found.$ref === 'string' && steps < MAX_REFERENCES; steps++) {
    const { $ref, ...beside } = found
    const target = resolveReference(root, $ref as string)
    found = isRecord(target) ? { ...target, ...beside } : target === false ? { ...beside, not: true } : beside
  }
  return found
}

function hasType({ type }: Node, value: unknown): boolean {
  if (type === undefined) return true
  return [type].flat().some(name => KNOWN_TYPES[name as string]?.(value) ?? true)
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || writeSorted(one) === writeSorted(other)
}

function writeSorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}

type Add = (message: string) => void

function checkText({ matches }: Walk, node: Node, value: string, add: Add): void {
  const { pattern, format } = node
  checkCount(node, 'Length', [...value].length, 'characters', add)
  if (typeof pattern === 'string' && !matches(pattern, value)) add(`must match ${pattern.slice(0, 200)}`)
  if (typeof format === 'string' && !isOfFormat(value, format)) add(`must be of the format ${format}`)
}

function checkCount(node: Node, what: string, count: number, of: string, add: Add): void {
  const [least, most] = [node[`min${what}`], node[`max${what}`]]
  if (typeof least === 'number' && count < least) add(`must have at least ${least} ${of}`)
  if (typeof most === 'number' && count > most) add(`must have at most ${most} ${of}`)
}

function checkNumber(node: Node, value: number, add: Add): void {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = node
  if (typeof minimum === 'number' && value < minimum) add(`must be at least ${minimum}`)
  if (typeof maximum === 'number' && value > maximum) add(`must be at most ${maximum}`)
  if (typeof above === 'number' && value <= above) add(`must be more than ${above}`)
  if (typeof below === 'number' && value >= below) add(`must be less than ${below}`)
  if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf)) add(`must be a multiple of ${multipleOf}`)
}

/** 0.3 is a multiple of 0.1, although their quotient is not a whole number. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient))
}

function checkList(walk: Walk, node: Node, value: unknown[], path: string, depth: number): void {
  const add: Add = message => walk.faults.push({ path, message })
  const { items, prefixItems, contains, uniqueItems, minContains = 1 } = node
  checkCount(node, 'Items', value.length, 'items', add)
  if (uniqueItems === true && new Set(value.map(writeSorted)).size < value.length) add('must not have an item twice')
  const first = Array.isArray(prefixItems) ? prefixItems : []
  for (const [index, item] of value.entries())
    check(walk, index < first.length ? first[index] : items, item, `${path}/${index}`, depth + 1)
  if (contains === undefined) return
  const count = value.filter(item => fits(walk, contains, item, path, depth)).length
  checkCount({ ...node, minContains }, 'Contains', count, 'items of the form that it must contain', add)
}

function checkObject(walk: Walk, node: Node, value: Node, path: string, depth: number): void {
  const add: Add = message => walk.faults.push({ path, message })
  const { required = [], dependentRequired = {}, propertyNames } = node as Record<string, never>
  checkCount(node, 'Properties', Object.keys(value).length, 'members', add)
  const dependent = Object.entries(dependentRequired as Record<string, string[]>)
    .filter(([name]) => Object.hasOwn(value, name))
    .flatMap(([, names]) => names)
  for (const name of new Set<string>([...(required as string[]), ...dependent]))
    if (!Object.hasOwn(value, name)) walk.faults.push({ path: `${path}/${escapeName(name)}`, message: 'is missing' })
  for (const [name, member] of Object.entries(value)) {
    const at = `${path}/${escapeName(name)}`
    for (const schema of listSchemasOf(walk, node, name)) check(walk, schema, member, at, depth + 1)
    if (propertyNames !== undefined && !fits(walk, propertyNames, name, at, depth))
      walk.faults.push({ path: at, message: 'has a name that is not allowed' })
  }
}

/** By its name, by patterns of names, or as one of the others. */
function listSchemasOf({ matches }: Walk, node: Node, name: string): unknown[] {
  const { properties = {}, patternProperties = {}, additionalProperties } = node as Record<string, Node | undefined>
  const found = [
    ...(Object.hasOwn(properties, name) ? [properties[name]] : []),
    ...Object.entries(patternProperties).flatMap(([pattern, schema]) => (matches(pattern, name) ? [schema] : [])),
  ]
  return found.length > 0 ? found : [additionalProperties]
}

function fits(walk: Walk, schema: unknown, value: unknown, path: string, depth: number): boolean {
  const trial = { ...walk, faults: [] }
  check(trial, schema, value, path, depth + 1)
  return trial.faults.length === 0
}

function checkCombined(walk: Walk, node: Node, value: unknown, path: string, depth: number): void {
  const add: Add = message => walk.faults.push({ path, message })
  const isFit = (schema: unknown) => fits(walk, schema, value, path, depth)
  const { allOf, anyOf, oneOf } = node as Record<string, unknown[] | undefined>
  for (const schema of allOf ?? []) check(walk, schema, value, path, depth + 1)
  if (anyOf && !anyOf.some(isFit)) add('must fit one of the forms')
  if (oneOf && oneOf.filter(isFit).length !== 1) add('must fit exactly one of the forms')
  if (node.not !== undefined && isFit(node.not)) add('must not have this form')
  for (const schema of listConditional(node, value, isFit)) check(walk, schema, value, path, depth + 1)
}

/** The schemas that count only for such a value. */
function listConditional(node: Node, value: unknown, isFit: (schema: unknown) => boolean): unknown[] {
  const branch = node.if === undefined ? [] : [isFit(node.if) ? node.then : node.else]
  const dependent = Object.entries((node.dependentSchemas ?? {}) as Node)
  return [
    ...branch,
    ...dependent.flatMap(([name, schema]) => (isRecord(value) && Object.hasOwn(value, name) ? [schema] : [])),
  ]
}

/** What a value lacks to fit a schema. */
interface SchemaFault {
  path: string
  message: string
}

type Node = Record<string, unknown>

const MAX_FAULTS = 20
const MAX_DEPTH = 64
const KNOWN_TYPES: Record<string, (value: unknown) => boolean> = {
  object: value => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: value => typeof value === 'string',
  number: value => typeof value === 'number',
  integer: Number.isInteger,
  boolean: value => typeof value === 'boolean',
  null: value => value === null,
}

/**
 * Compares a value with a schema of a caller, which is not compiled, because it may be anything. It knows the keywords of
 * JSON Schema by which data is described; patterns are given back, because they need an engine that takes linear time.
 */
export function findSchemaFaults(schema: unknown, value: unknown): { faults: SchemaFault[]; patterns: PatternCheck[] } {
  const faults: SchemaFault[] = []
  const patterns: PatternCheck[] = []
  check({ root: schema, faults, patterns }, schema, value, '', 0)
  return { faults: faults.slice(0, MAX_FAULTS), patterns }
}

interface PatternCheck {
  path: string
  pattern: string
  value: string
}

interface Walk {
  root: unknown
  faults: SchemaFault[]
  patterns: PatternCheck[]
}

function check(walk: Walk, schema: unknown, value: unknown, path: string, depth: number): void {
  if (schema === true || schema === undefined || walk.faults.length >= MAX_FAULTS) return
  const add = (message: string) => walk.faults.push({ path, message })
  if (schema === false || depth > MAX_DEPTH) return void add('must not be there')
  const node = resolve(walk.root, schema as Node)
  if (!hasType(node, value)) return void add(`must be ${[node.type].flat().join(' or ')}`)
  if (Array.isArray(node.enum) && !node.enum.some(one => isSame(one, value))) add('must be one of the allowed values')
  if ('const' in node && !isSame(node.const, value)) add(`must be ${JSON.stringify(node.const)}`)
  checkContent(walk, node, value, path, depth)
  checkCombined(walk, node, value, path, depth)
}

function checkContent(walk: Walk, node: Node, value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') checkText(walk, node, value, path)
  else if (typeof value === 'number') checkNumber(node, value, message => walk.faults.push({ path, message }))
  else if (Array.isArray(value)) checkList(walk, node, value, path, depth)
  else if (typeof value === 'object' && value !== null) checkObject(walk, node, value as Node, path, depth)
}

function resolve(root: unknown, node: Node): Node {
  let found = node
  for (let steps = 0; typeof found.$ref === 'string' && steps < 10; steps++) {
    const names = found.$ref.replace(/^#\/?/, '').split('/').filter(Boolean)
    found = names.reduce<unknown>((at, name) => (at as Node | undefined)?.[name], root) as Node
    if (typeof found !== 'object' || found === null) return {}
  }
  return found
}

function hasType({ type }: Node, value: unknown): boolean {
  if (type === undefined) return true
  return [type].flat().some(name => KNOWN_TYPES[name as string]?.(value) ?? true)
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

function checkText({ faults, patterns }: Walk, node: Node, value: string, path: string): void {
  const { minLength, maxLength, pattern } = node
  const length = [...value].length
  if (typeof minLength === 'number' && length < minLength)
    faults.push({ path, message: `must have at least ${minLength} characters` })
  if (typeof maxLength === 'number' && length > maxLength)
    faults.push({ path, message: `must have at most ${maxLength} characters` })
  if (typeof pattern === 'string') patterns.push({ path, pattern, value })
}

function checkNumber(
  { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below }: Node,
  value: number,
  add: (message: string) => void,
): void {
  if (typeof minimum === 'number' && value < minimum) add(`must be at least ${minimum}`)
  if (typeof maximum === 'number' && value > maximum) add(`must be at most ${maximum}`)
  if (typeof above === 'number' && value <= above) add(`must be more than ${above}`)
  if (typeof below === 'number' && value >= below) add(`must be less than ${below}`)
}

function checkList(
  walk: Walk,
  { items, minItems, maxItems }: Node,
  value: unknown[],
  path: string,
  depth: number,
): void {
  if (typeof minItems === 'number' && value.length < minItems)
    walk.faults.push({ path, message: `must have at least ${minItems} items` })
  if (typeof maxItems === 'number' && value.length > maxItems)
    walk.faults.push({ path, message: `must have at most ${maxItems} items` })
  if (typeof items !== 'object') return
  for (const [index, item] of value.entries()) check(walk, items, item, `${path}/${index}`, depth + 1)
}

function checkObject(walk: Walk, node: Node, value: Node, path: string, depth: number): void {
  const {
    properties = {},
    required = [],
    additionalProperties: others,
  } = node as {
    properties?: Node
    required?: string[]
    additionalProperties?: unknown
  }
  for (const name of required)
    if (!Object.hasOwn(value, name)) walk.faults.push({ path: `${path}/${name}`, message: 'is missing' })
  for (const [name, member] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : others
    check(walk, schema, member, `${path}/${name}`, depth + 1)
  }
}

function checkCombined(walk: Walk, node: Node, value: unknown, path: string, depth: number): void {
  const fits = (schema: unknown): boolean => {
    const trial = { ...walk, faults: [], patterns: [] }
    check(trial, schema, value, path, depth + 1)
    return trial.faults.length === 0
  }
  const { allOf, anyOf, oneOf, not } = node as {
    allOf?: unknown[]
    anyOf?: unknown[]
    oneOf?: unknown[]
    not?: unknown
  }
  for (const schema of allOf ?? []) check(walk, schema, value, path, depth + 1)
  if (anyOf && !anyOf.some(fits)) walk.faults.push({ path, message: 'must fit one of the forms' })
  if (oneOf && oneOf.filter(fits).length !== 1) walk.faults.push({ path, message: 'must fit exactly one of the forms' })
  if (not !== undefined && fits(not)) walk.faults.push({ path, message: 'must not have this form' })
}

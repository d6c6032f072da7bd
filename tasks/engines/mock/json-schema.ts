import { Problem } from '#kit'
import { hashText, mixSeed } from '../../formats/random/seeded.ts'
import { compileNumber } from './numbers.ts'
import { compilePattern } from './pattern.ts'
import { checkShapes, inlineReference, intersect, isDisjoint, type Schema, typesOf } from './schema-parts.ts'
import type { MockColumn, MockTable } from './table.ts'
import { createDraw, type Draw, type Source, type Value } from './values.ts'

interface Settings {
  source: Source
  seed: number
  refMs: number
}

const MAX_DEPTH = 12
/** Deeper, a schema that contains itself gets no more than it requires. */
const DEPTH_OF_OPTIONAL = 4
const MAX_ITEMS = 100
const MAX_NODES = 2000

/** Turns a JSON Schema of objects into functions that make the cells of a table: one column for each property. */
export function compileSchema(table: Omit<MockTable, 'columns'>, schema: Schema, settings: Settings): MockTable {
  const compiler = new SchemaCompiler(schema, settings)
  const root = compiler.resolve(schema, '')
  if (!typesOf(root).includes('object') || !root.properties || Object.keys(root.properties).length === 0)
    throw new Problem('SCHEMA_INVALID', { path: '', reason: 'the schema of a row has type object and properties' })
  const columns = Object.entries(root.properties).map(([name, child]): MockColumn => {
    const draw = compiler.compile(child, `/properties/${name}`, 1)
    const key = mixSeed(settings.seed, hashText(table.name), hashText(name))
    const cell = (row: number, attempt = 0) => {
      settings.source.random.seed(mixSeed(key, attempt, row))
      return draw()
    }
    return { name, type: columnType(compiler.resolve(child, `/properties/${name}`)), cell }
  })
  return { ...table, columns }
}

/** Keywords that say nothing about a value. */
const NOTES = 'title description $comment examples default deprecated readOnly writeOnly $schema $id $defs definitions'
const KNOWN = new Set(
  `${NOTES} $ref type enum const properties required additionalProperties items prefixItems minItems maxItems uniqueItems
  minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf allOf anyOf oneOf`.split(
    /\s+/,
  ),
)

class SchemaCompiler {
  readonly #root: Schema
  readonly #settings: Settings
  #nodes = 0

  constructor(root: Schema, settings: Settings) {
    this.#root = root
    this.#settings = settings
  }

  /** Follows references and joins what applies together. */
  resolve(given: unknown, path: string): Schema {
    if (given === true) return {}
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw new Problem('SCHEMA_INVALID', { path, reason: 'not a schema that a value can meet' })
    let schema = given as Schema
    checkShapes(schema, path)
    for (let hops = 0; schema.$ref !== undefined; hops++) {
      if (hops > MAX_DEPTH) throw new Problem('SCHEMA_INVALID', { path, reason: 'a reference to itself' })
      schema = inlineReference(this.#root, schema, path)
      checkShapes(schema, path)
    }
    const unknown = Object.keys(schema).find(name => !KNOWN.has(name) && !name.startsWith('x-'))
    if (unknown !== undefined)
      throw new Problem('SCHEMA_INVALID', { path: `${path}/${unknown}`, reason: 'not supported' })
    const { allOf, ...rest } = schema
    if (!allOf) return rest
    return allOf.reduce((all: Schema, part, index) => {
      return intersect(all, this.resolve(part, `${path}/allOf/${index}`), path)
    }, rest)
  }

  compile(given: unknown, path: string, depth: number): Draw {
    if (depth > MAX_DEPTH) throw new Problem('SCHEMA_INVALID', { path, reason: `nested deeper than ${MAX_DEPTH}` })
    if (++this.#nodes > MAX_NODES) throw new Problem('SCHEMA_INVALID', { path, reason: `more than ${MAX_NODES} parts` })
    const schema = this.resolve(given, path)
    const { random } = this.#settings.source
    if ('const' in schema) return () => schema.const as Value
    if (schema.enum) {
      const values = schema.enum
      if (values.length === 0) throw new Problem('SCHEMA_INVALID', { path: `${path}/enum`, reason: 'no value' })
      return () => random.pick(values) as Value
    }
    const choices = this.#choices(schema, path)
    if (choices) {
      const draws = choices.map(choice => this.compile(choice, path, depth + 1))
      return () => random.pick(draws)()
    }
    const draws = typesOf(schema).map(type => this.#compileType(type, schema, path, depth))
    return draws.length === 1 ? draws[0]! : () => random.pick(draws)()
  }

  #choices(schema: Schema, path: string): Schema[] | undefined {
    const { anyOf, oneOf, ...rest } = schema
    if (!anyOf && !oneOf) return undefined
    if (anyOf && oneOf) throw new Problem('SCHEMA_INVALID', { path, reason: 'anyOf beside oneOf is not supported' })
    const name = anyOf ? 'anyOf' : 'oneOf'
    const choices = (anyOf ?? oneOf!).map((choice, index) =>
      intersect(rest, this.resolve(choice, `${path}/${name}/${index}`), path),
    )
    const overlap = oneOf && choices.some((a, index) => choices.slice(index + 1).some(b => !isDisjoint(a, b)))
    if (overlap || choices.length === 0)
      throw new Problem('SCHEMA_INVALID', {
        path: `${path}/${name}`,
        reason: 'branches that a value may meet at the same time; use anyOf, or tell them apart by type, const or enum',
      })
    return choices
  }

  #compileType(type: string, schema: Schema, path: string, depth: number): Draw {
    if (type === 'null') return () => null
    if (type === 'boolean') return () => this.#settings.source.random.next() < 0.5
    if (type === 'integer' || type === 'number')
      return compileNumber(schema, type === 'integer', this.#settings.source.random, path)
    if (type === 'string') return this.#compileString(schema, path)
    if (type === 'array') return this.#compileArray(schema, path, depth)
    if (type !== 'object') throw new Problem('SCHEMA_INVALID', { path: `${path}/type`, reason: `${type} is no type` })
    const wanted = Object.entries(schema.properties ?? {}).filter(
      ([name]) => depth <= DEPTH_OF_OPTIONAL || schema.required?.includes(name),
    )
    const members = wanted.map(
      ([name, child]) => [name, this.compile(child, `${path}/properties/${name}`, depth + 1)] as const,
    )
    const missing = schema.required?.find(name => !Object.hasOwn(schema.properties ?? {}, name))
    if (missing !== undefined)
      throw new Problem('SCHEMA_INVALID', { path: `${path}/required`, reason: `${missing} is not among properties` })
    return () => Object.fromEntries(members.map(([name, draw]) => [name, draw()]))
  }

  #compileString(schema: Schema, path: string): Draw {
    const { source, refMs } = this.#settings
    const { minLength = 0, maxLength, pattern, format } = schema
    if (pattern !== undefined && (format !== undefined || minLength > 0 || maxLength !== undefined))
      throw new Problem('SCHEMA_INVALID', { path, reason: 'pattern beside format or lengths is not supported' })
    if (pattern !== undefined) {
      const draw = compilePattern(pattern, `schema${path}/pattern`)
      return () => draw(source.random)
    }
    if (format !== undefined) {
      const draw = Object.hasOwn(FORMATS, format) ? FORMATS[format]!(source, refMs) : undefined
      if (!draw) throw new Problem('SCHEMA_INVALID', { path: `${path}/format`, allowed: Object.keys(FORMATS) })
      return draw
    }
    if (minLength > 10_000 || (maxLength ?? minLength) < minLength)
      throw new Problem('SCHEMA_INVALID', { path, reason: 'no text has these lengths' })
    return () => drawText(source, minLength, maxLength ?? Math.max(minLength, 24))
  }

  #compileArray(schema: Schema, path: string, depth: number): Draw {
    if (depth > DEPTH_OF_OPTIONAL && !schema.minItems) return () => []
    const { random } = this.#settings.source
    const { prefixItems = [], items, minItems = 0, maxItems, uniqueItems } = schema
    const fixed = prefixItems.map((item, index) => this.compile(item, `${path}/prefixItems/${index}`, depth + 1))
    const rest = items === false ? undefined : this.compile(items ?? { type: 'string' }, `${path}/items`, depth + 1)
    const low = Math.max(minItems, Math.min(fixed.length, maxItems ?? fixed.length))
    const high = rest ? Math.min(maxItems ?? low + 3, MAX_ITEMS) : fixed.length
    if (high < low)
      throw new Problem('SCHEMA_INVALID', { path, reason: `no list of up to ${MAX_ITEMS} has these lengths` })
    const draw = (at: number) => (fixed[at] ?? rest)!()
    return () => {
      const length = random.integer(low, high)
      if (!uniqueItems) return Array.from({ length }, (_, index) => draw(index))
      return drawDistinct(draw, { low, length, path })
    }
  }
}

const TRIES_PER_ITEM = 50

function drawDistinct(
  draw: (at: number) => Value,
  { low, length, path }: { low: number; length: number; path: string },
): Value[] {
  const list: Value[] = []
  const taken = new Set<string>()
  for (let tries = 0; list.length < length && tries < length * TRIES_PER_ITEM; tries++) {
    const value = draw(list.length)
    const text = JSON.stringify(value)
    if (taken.has(text)) continue
    taken.add(text)
    list.push(value)
  }
  if (list.length < low) throw new Problem('UNIQUE_EXHAUSTED', { field: `schema${path}` })
  return list
}

const FORMATS: Record<string, (source: Source, refMs: number) => Draw> = {
  email: ({ drawn }) => drawn.email,
  uri: ({ drawn }) => drawn.url,
  hostname: ({ drawn }) => drawn.domain,
  ...Object.fromEntries(
    (
      [
        ['uuid', 'uuid'],
        ['date', 'date'],
        ['date-time', 'timestamp'],
        ['ipv4', 'ipv4'],
        ['ipv6', 'ipv6'],
      ] as const
    ).map(([format, kind]) => [
      format,
      (source: Source, refMs: number) => createDraw(kind, { name: '', type: kind }, { source, refMs, at: 'schema' }),
    ]),
  ),
  time: (source, refMs) => {
    const draw = createDraw('time', { name: '', type: 'time' }, { source, refMs, at: 'schema' })
    return () => `${draw() as string}Z`
  },
}

function drawText({ drawn }: Source, min: number, max: number): string {
  let text = drawn.word()
  while (text.length < min) text += ` ${drawn.word()}`
  const cut = [...text].slice(0, max).join('').trimEnd()
  return cut.padEnd(Math.min(min, max), 'x')
}

const COLUMN_TYPES: Record<string, string> = { integer: 'integer', number: 'number', boolean: 'boolean' }
const TEXT_TYPES: Record<string, string> = { date: 'date', 'date-time': 'timestamptz', uuid: 'uuid' }

function columnType(schema: Schema): string {
  if ('const' in schema || schema.enum) return typeOfValues(schema.enum ?? [schema.const])
  if (schema.anyOf || schema.oneOf) return 'json'
  const types = typesOf(schema).filter(type => type !== 'null')
  if (types.length !== 1) return 'json'
  const [type] = types as [string]
  if (type === 'string') return TEXT_TYPES[schema.format ?? ''] ?? 'string'
  return COLUMN_TYPES[type] ?? 'json'
}

function typeOfValues(values: readonly unknown[]): string {
  const present = values.filter(value => value !== null)
  if (present.every(value => typeof value === 'string')) return 'string'
  if (present.every(value => typeof value === 'boolean')) return 'boolean'
  if (present.every(value => Number.isSafeInteger(value))) return 'integer'
  return present.every(value => typeof value === 'number') ? 'number' : 'json'
}

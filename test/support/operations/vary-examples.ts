import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import type { NamedOperation } from '../../../tasks/index.ts'

export type Body = Record<string, unknown>

const SAMPLES = new URL('../../../tasks/samples/', import.meta.url)
const RANDOM_BODIES = 4
const PAGE_RANGES = ['1', 'all', 'last']
/** They decide how a call is answered, and not what it costs. */
const CALL_OPTIONS = new Set(['async', 'dryRun', 'deliver', 'filename', 'inlineOutput'])

/** The body as it is posted, with the bytes of its samples. */
export function withSamples<Value>(value: Value): Value {
  if (typeof value === 'string' && value.startsWith('sample:')) {
    return { inline: readFileSync(new URL(value.slice(7), SAMPLES)).toString('base64') } as Value
  }
  if (Array.isArray(value)) return value.map(withSamples) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withSamples(item)])) as Value
}

/** Each seed with one option changed, for every value that the schema names, and some with several changed at random. */
export function varyBodies({ input }: NamedOperation, seeds: readonly Body[]): Body[] {
  const changed = seeds.flatMap(seed =>
    Object.entries(listChoices(input, seed)).flatMap(([field, values]) =>
      values.filter(value => value !== seed[field]).map(value => ({ ...seed, [field]: value })),
    ),
  )
  const random = fc.constantFrom(...seeds).chain(seed => {
    const choices = Object.entries(listChoices(input, seed))
    const fields = Object.fromEntries(choices.map(([field, values]) => [field, fc.constantFrom(...values)]))
    return fc.record(fields, { requiredKeys: [] }).map(options => ({ ...seed, ...options }))
  })
  const bodies: Body[] = [...changed, ...fc.sample(random, { numRuns: RANDOM_BODIES, seed: 9 })]
  return [...new Map(bodies.map(body => [JSON.stringify(body), body])).values()]
}

/** The values that the schema names for each option. */
function listChoices(schema: TSchema, body: Body): Record<string, unknown[]> {
  const { properties = {} } = chooseAlternative(schema, body)
  const choices = Object.entries(properties).map(([field, option]) => [field, listValues(option)] as const)
  return Object.fromEntries(choices.filter(([field, values]) => values.length > 0 && !CALL_OPTIONS.has(field)))
}

interface Option {
  enum?: unknown[]
  const?: unknown
  type?: string
  description?: string
  anyOf?: Option[]
  properties?: Record<string, Option>
}

/** Of a union on `action`, the alternative that the body chose. */
function chooseAlternative(schema: TSchema, body: Body): Option {
  const { oneOf, discriminator } = schema as { oneOf?: Option[]; discriminator?: { propertyName: string } }
  if (!oneOf || !discriminator) return schema as Option
  const tag = discriminator.propertyName
  return oneOf.find(({ properties }) => listValues(properties![tag]!).includes(body[tag]))!
}

function listValues(option: Option): unknown[] {
  if (option.anyOf) return option.anyOf.flatMap(listValues)
  if (option.const !== undefined) return [option.const]
  if (option.type === 'boolean') return [true, false]
  return option.enum ?? (option.description?.startsWith('Pages such as') ? PAGE_RANGES : [])
}

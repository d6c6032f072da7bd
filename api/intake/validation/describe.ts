import type { ErrorObject } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { type Hints, Problem, type ProblemCode, type SchemaNode } from '#kit'
import { findNearest } from '../../../tasks/formats/words/nearest.ts'
import { joinAlternatives } from './alternatives.ts'
import { describeField, describeUnknownField } from './known-fields.ts'
import { findRenamed } from './renamed-fields.ts'

/** One fault of an input. The example values of a missing field may come from `examples`. */
interface Fault {
  code: ProblemCode
  hints: Hints & { field: string }
}

interface DescribedNode extends SchemaNode {
  description?: string
  examples?: unknown[]
}

const MAX_FAULTS = 10

/** The problem of the first fault; with several, all are listed in it, up to ten. */
export function problemOf(fault: Fault, all: readonly Fault[] = []): Problem {
  // What an unknown field may mean is known only beside the others.
  const known = fault.code === 'UNKNOWN_FIELD' ? all.find(other => isSame(other, fault)) : undefined
  const first = known ?? fault
  const listed = [first, ...all.filter(other => !isSame(other, first))]
  const faults = listed.slice(0, MAX_FAULTS).map(({ code, hints }, index) => ({
    code,
    ...(index > 0 && hasSameAllowed(hints, first.hints) ? omitAllowed(hints) : hints),
  }))
  return new Problem(first.code, { ...first.hints, ...(listed.length > 1 && { faults }) })
}

/** A long list of allowed values is told once, with the first fault. */
function hasSameAllowed({ allowed }: Hints, first: Hints): boolean {
  return Array.isArray(allowed) && JSON.stringify(allowed) === JSON.stringify(first.allowed)
}

function omitAllowed({ allowed: _, ...others }: Hints): Hints {
  return others
}

function isSame(one: Fault, other: Fault): boolean {
  return one.code === other.code && one.hints.field === other.hints.field
}

/** The fault to tell first: an unknown field explains most others. */
export function findFirst(errors: readonly ErrorObject[], schema: TSchema): Fault {
  const relevant = listRelevant(errors)
  const unknown = relevant.find(({ keyword }) => keyword === 'additionalProperties')
  return describe(unknown ?? relevant[0]!, schema)
}

export function listFaults(errors: readonly ErrorObject[], schema: TSchema): Fault[] {
  const relevant = listRelevant(errors)
  const faults = relevant.map(error => describe(error, schema, relevant))
  return [...new Map(faults.map(fault => [`${fault.code} ${fault.hints.field}`, fault])).values()]
}

/** A union only says that no alternative fits; its alternatives say why. */
function listRelevant(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const relevant = errors.filter(({ keyword }) => keyword !== 'oneOf' && keyword !== 'anyOf')
  return relevant.length > 0 ? joinAlternatives(relevant) : errors
}

function describe(error: ErrorObject, schema: TSchema, all: readonly ErrorObject[] = []): Fault {
  const { keyword, params, instancePath, message, parentSchema } = error
  const at = fieldOf(instancePath)
  const place = (parentSchema ?? {}) as SchemaNode
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty)
    const renamed = findRenamed(all, error)
    const meant = renamed && { didYouMean: renamed.name }
    return {
      code: 'UNKNOWN_FIELD',
      hints: { field: join(at, name), ...describeUnknownField(schema, place, at, name), ...meant },
    }
  }
  if (keyword === 'required') {
    const name = String(params.missingProperty)
    return { code: 'MISSING_FIELD', hints: { field: join(at, name), ...describeField(place.properties?.[name]) } }
  }
  if (keyword === 'discriminator')
    return { code: 'INVALID_PARAM', hints: { field: join(at, String(params.tag)), ...describeTag(params, place) } }
  const bounds = { ...allowedBounds(keyword, params), ...exampleOf(error, place) }
  return { code: 'INVALID_PARAM', hints: { field: at || 'body', reason: message, ...bounds, ...nearestOf(error) } }
}

/** That an object is wanted does not say of which, and a pattern says little of what it takes. The whole body is described elsewhere. */
function exampleOf({ keyword, instancePath, params }: ErrorObject, place: DescribedNode): Hints {
  if (keyword === 'pattern') {
    const { description, examples, default: example = examples?.[0] } = place
    return { ...(description !== undefined && { description }), ...(example !== undefined && { example }) }
  }
  if (keyword !== 'type' || instancePath === '' || !['object', 'array'].includes(params.type)) return {}
  const { example } = describeField(place)
  return example === undefined ? {} : { example }
}

/** The field that says which of several forms an object has. */
function describeTag({ tag, tagValue }: Record<string, unknown>, { oneOf = [] }: SchemaNode): Hints {
  const allowed = oneOf.flatMap(({ properties }) => {
    const { enum: names, const: name } = properties?.[String(tag)] ?? {}
    return names ?? name ?? []
  })
  return { reason: 'must be one of the allowed values', allowed, ...nearest(tagValue, allowed) }
}

function nearestOf({ keyword, data, params }: ErrorObject): Hints {
  return keyword === 'enum' ? nearest(data, params.allowedValues as unknown[]) : {}
}

/** The value of a list of words that was meant by a misspelt one. */
function nearest(given: unknown, allowed: readonly unknown[]): Hints {
  if (typeof given !== 'string') return {}
  const near = findNearest(
    given,
    allowed.filter(word => typeof word === 'string'),
  )
  return near === undefined ? {} : { didYouMean: near }
}

function allowedBounds(keyword: string, params: Record<string, unknown>): Hints {
  const limit = params.limit
  switch (keyword) {
    case 'minimum':
    case 'minLength':
    case 'minItems':
      return { min: limit }
    case 'maximum':
    case 'maxLength':
    case 'maxItems':
      return { max: limit }
    case 'enum':
      return { allowed: params.allowedValues }
    case 'const':
      return { allowed: [params.allowedValue] }
    case 'type':
      return { expected: params.type }
    default:
      return {}
  }
}

function fieldOf(instancePath: string): string {
  return instancePath
    .slice(1)
    .split('/')
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
}

function join(at: string, name: string): string {
  return at ? `${at}.${name}` : name
}

// biome-ignore-all lint/style/noParameterAssign: it changes a copy in place, which nobody else holds
import type { ErrorObject } from 'ajv/dist/2020.js'
import { fieldEntries, type SchemaNode } from '#kit'
import { readMeantType, readMeantWord } from './meant-values.ts'
import { findRenamed, isTelling } from './renamed-fields.ts'
import { dropFacts, findMember, isSource, moveIntoSource } from './source-forms.ts'

export interface Check {
  /** Finds every fault of a value and fills its defaults in; null if there is none. */
  findFaults(value: unknown): readonly ErrorObject[] | null
  /** The body has several fields of the caller, so that one which is null says nothing. */
  hasOthers: boolean
}

/** The inner values of a list that came as text have faults of their own. */
const MAX_ROUNDS = 4

/**
 * The same body with each refused value in the form that its schema wants, if it can mean only that: `"5"` for 5, `"a"`
 * for `["a"]`, `page_size` for `pageSize`. Undefined if a fault remains, so that all are told as they were sent
 * (Decision 0860).
 */
export function readOtherForms(body: object, { findFaults, hasOthers }: Check): object | undefined {
  const copy = structuredClone(body)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const faults = findFaults(copy)
    if (!faults) return copy
    const places = new Set<string>()
    const replaced = faults.filter(fault => {
      const place = `${fault.instancePath} ${fault.keyword === 'additionalProperties' ? fault.params.additionalProperty : ''}`
      const isFirst = !places.has(place) && replaceAt(copy, fault, { faults, hasOthers })
      if (isFirst) places.add(place)
      return isFirst
    })
    if (replaced.length === 0) return undefined
  }
  return undefined
}

type Fields = Record<string, unknown>

/** Replaces what is at fault in place. Returns whether it could. */
function replaceAt(
  body: object,
  fault: ErrorObject,
  { faults, hasOthers }: Pick<Check, 'hasOthers'> & { faults: readonly ErrorObject[] },
): boolean {
  const path = fault.instancePath.split('/').slice(1).map(unescapeStep)
  if (fault.keyword === 'additionalProperties') return rename(valueAt(body, path), fault, faults)
  if (fault.keyword === 'discriminator') path.push(String(fault.params.tag))
  const name = path.at(-1)
  const holder = name === undefined ? undefined : valueAt(body, path.slice(0, -1))
  if (!isFields(holder) || !Object.hasOwn(holder, name!)) return false
  if (holder[name!] === null) return hasOthers && leaveOut(holder, name!)
  const meant = readMeant(name!, holder[name!], fault)
  if (meant === undefined) return false
  holder[name!] = meant
  return true
}

function readMeant(name: string, value: unknown, { keyword, params, parentSchema }: ErrorObject): unknown {
  const schema = (parentSchema ?? {}) as SchemaNode
  switch (keyword) {
    case 'type':
      return readMeantType(name, value, { types: [params.type].flat() as string[], schema })
    case 'enum':
      return readMeantWord(value, params.allowedValues as unknown[])
    case 'const':
      return readMeantWord(value, [params.allowedValue])
    case 'discriminator':
      return readMeantWord(value, listTags(schema, String(params.tag)))
    case 'pattern':
      return readMeantCode(value, String(params.pattern))
    default:
      return undefined
  }
}

function listTags({ oneOf = [] }: SchemaNode, tag: string): unknown[] {
  return oneOf.flatMap(({ properties }) => {
    const { enum: words, const: word } = properties?.[tag] ?? {}
    return words ?? word ?? []
  })
}

/** Codes of countries and currencies are also written small. */
function readMeantCode(value: unknown, pattern: string): string | undefined {
  if (typeof value !== 'string' || !/^\^\[A-Z\]\{\d\}\$$/.test(pattern)) return undefined
  const code = value.toUpperCase()
  return new RegExp(pattern).test(code) ? code : undefined
}

/** A field that is null is one that is left out. */
function leaveOut(holder: Fields, name: string): boolean {
  if (Array.isArray(holder)) return false
  delete holder[name]
  return true
}

/** A field whose name differs by case, or by `_` and `-`, or whose value is one that only the missing field takes. */
function rename(holder: unknown, fault: ErrorObject, faults: readonly ErrorObject[]): boolean {
  const { params, parentSchema } = fault
  const name = String(params.additionalProperty)
  if (!isFields(holder) || !Object.hasOwn(holder, name)) return false
  const schema = (parentSchema ?? {}) as SchemaNode
  const known = [...new Set(fieldEntries(schema).map(([field]) => field))]
  if (isSource(schema) && dropFacts(holder, name, schema)) return true
  if (moveIntoSource(holder, fault, faults)) return true
  const member = isSource(schema) ? findMember(plainName(name)) : undefined
  const meant = member ?? findSameName(name, known) ?? findTelling(faults, fault)
  if (meant === undefined || isGiven(holder, meant, schema)) return false
  holder[meant] = holder[name]
  delete holder[name]
  return true
}

function findTelling(faults: readonly ErrorObject[], fault: ErrorObject): string | undefined {
  const renamed = findRenamed(faults, fault)
  return renamed && isTelling(renamed) ? renamed.name : undefined
}

function findSameName(name: string, known: readonly string[]): string | undefined {
  const found = known.filter(other => plainName(other) === plainName(name))
  return found.length === 1 ? found[0] : undefined
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-\s]/g, '')
}

/** Defaults are filled in before the faults are known. */
function isGiven(holder: Fields, name: string, schema: SchemaNode): boolean {
  const isDefault = ([field, { default: value }]: [string, SchemaNode]) => field === name && value === holder[name]
  return Object.hasOwn(holder, name) && !fieldEntries(schema).some(isDefault)
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  let value = body
  for (const step of path) {
    if (!isFields(value) || !Object.hasOwn(value, step)) return undefined
    value = value[step]
  }
  return value
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

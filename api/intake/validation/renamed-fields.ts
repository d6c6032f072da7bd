import type { ErrorObject } from 'ajv/dist/2020.js'
import { alternativesOf, FILE_RULE, type SchemaNode } from '#kit'
import { readMeantWord } from './meant-values.ts'

interface Renamed {
  /** The missing field that an unknown field of the same object stands for. */
  name: string
  schema: SchemaNode
}

/**
 * An object that lacks a field and has one that nobody knows, whose value that field alone takes: `format` for `to`. Most
 * other services have another name for it.
 */
export function findRenamed(faults: readonly ErrorObject[], unknown: ErrorObject): Renamed | undefined {
  const { properties = {} } = (unknown.parentSchema ?? {}) as SchemaNode
  const holder = unknown.data as Record<string, unknown>
  const missing = namesOf(faults, unknown, 'required', 'missingProperty').filter(name => properties[name])
  const listMeant = (name: string) => missing.filter(other => takes(properties[other]!, holder[name]))
  const name = String(unknown.params.additionalProperty)
  const [meant, ...others] = listMeant(name)
  if (meant === undefined || others.length > 0) return undefined
  const rivals = namesOf(faults, unknown, 'additionalProperties', 'additionalProperty')
  return rivals.every(rival => rival === name || !listMeant(rival).includes(meant))
    ? { name: meant, schema: properties[meant]! }
    : undefined
}

/** The one field that the object of a fault lacks; undefined if it lacks none or several. */
export function findOnlyMissing(faults: readonly ErrorObject[], fault: ErrorObject): string | undefined {
  const missing = namesOf(faults, fault, 'required', 'missingProperty')
  return missing.length === 1 ? missing[0] : undefined
}

function namesOf(faults: readonly ErrorObject[], { instancePath }: ErrorObject, keyword: string, param: string) {
  const found = faults.filter(fault => fault.instancePath === instancePath && fault.keyword === keyword)
  return [...new Set(found.map(({ params }) => String(params[param])))]
}

function takes(schema: SchemaNode, value: unknown): boolean {
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return alternatives.some(alternative => takes(alternative, value))
  if (schema.enum) return readMeantWord(value, schema.enum) !== undefined
  if (schema.type === 'integer') return Number.isInteger(value)
  if (schema.type === 'array') return Array.isArray(value)
  if (schema.type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === schema.type
}

/** Whether a value says by itself which field it is for: one of few words, or files. Any number fits many fields. */
export function isTelling({ schema }: Renamed): boolean {
  const { items = {}, enum: words } = schema
  return words !== undefined || FILE_RULE in schema || FILE_RULE in items
}

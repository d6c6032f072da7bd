// biome-ignore-all lint/style/noParameterAssign: it changes a copy in place, which nobody else holds
import type { ErrorObject } from 'ajv/dist/2020.js'
import { alternativesOf, FILE_RULE, fieldEntries, type SchemaNode } from '#kit'
import { findOnlyMissing } from './renamed-fields.ts'

type Fields = Record<string, unknown>

/** Other names of members of a source, as other services and the answers of this one call them. */
const MEMBERS = new Map([
  ['outputkey', 'inputKey'],
  ['key', 'inputKey'],
  ['base64', 'inline'],
  ['blob', 'inline'],
  ['filename', 'name'],
])
/** What an answer says of an output beside its key. */
const OUTPUT_FACTS = new Set(['inline', 'outputUrl', 'sizeBytes', 'contentType'])
/** What a caller knows of a file and no call needs: its bytes say what it is. */
const FILE_FACTS = new Set(['name', 'filename', 'contentType', 'mimeType', 'mediaType'])

export function isSource(schema: SchemaNode): boolean {
  const known = fieldEntries(schema).map(([field]) => field)
  return known.includes('inputKey') && known.includes('inline')
}

export function findMember(plainName: string): string | undefined {
  return MEMBERS.get(plainName)
}

/** An output is given as it was answered: its key is what counts. Of any other file only the name of some is used. */
export function dropFacts(holder: Fields, name: string, schema: SchemaNode): boolean {
  const isNamed = fieldEntries(schema).some(([field]) => field === 'name')
  const isFact = FILE_FACTS.has(name) && typeof holder[name] === 'string' && !(isNamed && /name$/.test(name))
  const names = typeof holder.outputKey === 'string' ? Object.keys(holder).filter(field => OUTPUT_FACTS.has(field)) : []
  if (isFact) names.push(name)
  for (const field of names) delete holder[field]
  return names.length > 0
}

/** The source of the one missing file stands beside it: `rows` for `file.rows`. */
export function moveIntoSource(holder: Fields, fault: ErrorObject, faults: readonly ErrorObject[]): boolean {
  const name = String(fault.params.additionalProperty)
  const missing = findOnlyMissing(faults, fault)
  const schema = missing && (fault.parentSchema as SchemaNode | undefined)?.properties?.[missing]
  if (!schema || !takesMember(schema, name)) return false
  const source = holder[missing] ?? {}
  if (typeof source !== 'object') return false
  holder[missing] = { ...source, [name]: holder[name] }
  delete holder[name]
  return true
}

function takesMember(schema: SchemaNode, name: string): boolean {
  const arms = [schema, ...alternativesOf(schema)]
  return arms.some(arm => FILE_RULE in arm && arm.properties !== undefined && Object.hasOwn(arm.properties, name))
}

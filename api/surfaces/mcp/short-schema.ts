import { firstSentence } from '../llms/compact-fields.ts'
import type { Plain } from '../openapi/plain-schema.ts'

/** Every call may have these, and the instructions of the server explain them once. */
const COMMON = new Set(['async', 'dryRun', 'deliver', 'filename', 'inlineOutput'])
const KEPT = ['type', 'enum', 'default']
const MAX_CHOICES = 10
const MAX_DESCRIPTION = 20

interface Extent {
  maxDescription?: number
  /** With the names of what is inside of fields. */
  hasInnerNames?: boolean
}

/** A schema as short as a list of tools must be: what is inside of fields is left to describe_tool. */
export function shortenSchema({ properties, required }: Plain, extent: Extent = {}): Plain {
  const named = Object.entries((properties ?? {}) as Record<string, Plain>).filter(([name]) => !COMMON.has(name))
  return {
    type: 'object',
    properties: Object.fromEntries(named.map(([name, field]) => [name, shortenField(field, extent)])),
    ...(required !== undefined && { required }),
  }
}

function shortenField(field: Plain, extent: Extent): Plain {
  const { maxDescription = MAX_DESCRIPTION, hasInnerNames } = extent
  const kept = Object.fromEntries(KEPT.flatMap(key => (field[key] === undefined ? [] : [[key, field[key]]]))) as Plain
  if (Array.isArray(kept.enum) && kept.enum.length > MAX_CHOICES) delete kept.enum
  if (typeof kept.default === 'object') delete kept.default
  const description = typeof field.description === 'string' ? firstSentence(field.description) : ''
  const isSource = (field.properties as Plain | undefined)?.inputKey !== undefined
  if (isSource) return { ...kept, description: 'Source' }
  const { items } = field
  return {
    ...kept,
    ...(hasInnerNames && listInner(field)),
    ...(items !== undefined && { items: shortenField(items as Plain, { hasInnerNames, maxDescription: 0 }) }),
    ...(description !== '' && description.length <= maxDescription && { description }),
  }
}

/** The names of the fields of an object, or of each member of a map. */
function listInner({ properties, required, additionalProperties, patternProperties }: Plain): Plain {
  if (properties !== undefined)
    return {
      properties: Object.fromEntries(Object.keys(properties as Plain).map(name => [name, {}])),
      ...(required !== undefined && { required }),
    }
  const [member = additionalProperties] = Object.values((patternProperties ?? {}) as Plain)
  return typeof member === 'object' ? { additionalProperties: listInner(member as Plain) } : {}
}

import type { TSchema } from 'typebox'
import { alternativesOf, CALL_OPTIONS, FILE_CALL_OPTIONS } from '#kit'
import { type Plain, toPlainSchema } from './plain-schema.ts'

/** The fields that every operation has; lists of one operation's fields leave them out. */
export const COMMON_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(CALL_OPTIONS),
  ...Object.keys(FILE_CALL_OPTIONS),
])

export interface Field {
  name: string
  field: Plain
  isRequired: boolean
}

/** The fields of an object, in the order in which they are declared. */
export function listFields({ properties, required }: Plain): Field[] {
  const needed = new Set(required as string[] | undefined)
  return Object.entries((properties ?? {}) as Record<string, Plain>).map(([name, field]) => ({
    name,
    field,
    isRequired: needed.has(name),
  }))
}

/** The forms that a request can have, without the common fields: one, or each alternative of a union. */
export function listForms(schema: TSchema): Plain[] {
  const plain = withoutCommonFields(toPlainSchema(schema))
  const alternatives = alternativesOf(plain) as Plain[]
  return alternatives.length > 0 ? alternatives : [plain]
}

export function withoutCommonFields(schema: Plain): Plain {
  const alternatives = alternativesOf(schema) as Plain[]
  if (alternatives.length > 0) return { ...schema, oneOf: alternatives.map(withoutCommonFields), anyOf: undefined }
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Plain>)
  return { ...schema, properties: Object.fromEntries(fields.filter(([name]) => !COMMON_FIELDS.has(name))) }
}

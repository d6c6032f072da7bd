import type { TSchema } from 'typebox'
import { FILE_RULE } from '#kit'

export type FileFields = ReadonlyMap<string, 'one' | 'many'>

interface ObjectSchema {
  properties?: Record<string, TSchema & { items?: TSchema }>
  oneOf?: ObjectSchema[]
  anyOf?: ObjectSchema[]
}

const fileFields = new WeakMap<TSchema, FileFields>()

/** The top-level fields that are files, or lists of them. */
export function fileFieldsOf(schema: TSchema): FileFields {
  let found = fileFields.get(schema)
  if (!found) {
    const { properties, oneOf = [], anyOf = [] } = schema as TSchema & ObjectSchema
    const all = [{ properties }, ...oneOf, ...anyOf].flatMap(arm => Object.entries(arm.properties ?? {}))
    const files = all.flatMap(([name, field]): [string, 'one' | 'many'][] => {
      if (FILE_RULE in field) return [[name, 'one']]
      return field.items && FILE_RULE in field.items ? [[name, 'many']] : []
    })
    found = new Map(files)
    fileFields.set(schema, found)
  }
  return found
}

/** `file` names the only list of files, too: that is what most clients call every part. */
export function fieldFor(name: string, fields: FileFields): string | undefined {
  const plain = name.endsWith('[]') ? name.slice(0, -2) : name
  if (fields.has(plain)) return plain
  return plain === 'file' && fields.get('files') === 'many' ? 'files' : undefined
}

export function acceptedBy(fields: FileFields): string[] {
  const accepted = ['application/json']
  if (fields.size > 0) accepted.push('multipart/form-data')
  return fields.get('file') === 'one' ? [...accepted, '*/*'] : accepted
}

import type { TSchema } from 'typebox'
import { FILE_RULE, fieldEntries } from '#kit'

export type FileFields = ReadonlyMap<string, 'one' | 'many'>

const fileFields = new WeakMap<TSchema, FileFields>()

/** The top-level fields that are files, or lists of them. */
export function fileFieldsOf(schema: TSchema): FileFields {
  let found = fileFields.get(schema)
  if (!found) {
    const files = fieldEntries(schema).flatMap(([name, field]): [string, 'one' | 'many'][] => {
      if (FILE_RULE in field) return [[name, 'one']]
      return field.items && FILE_RULE in field.items ? [[name, 'many']] : []
    })
    found = new Map(files)
    fileFields.set(schema, found)
  }
  return found
}

/** The part name `file` also fills the only list of files, because most clients use it for every part. */
export function findFileField(name: string, fields: FileFields): string | undefined {
  const plain = name.endsWith('[]') ? name.slice(0, -2) : name
  if (fields.has(plain)) return plain
  return plain === 'file' && fields.get('files') === 'many' ? 'files' : undefined
}

export function acceptedBy(fields: FileFields): string[] {
  const accepted = ['application/json']
  if (fields.size > 0) accepted.push('multipart/form-data')
  return fields.get('file') === 'one' ? [...accepted, '*/*'] : accepted
}

import { basename } from 'node:path'
import { Type } from 'typebox'
import { Choice, FileInput, type InputFile, Problem } from '#kit'
import { isoOf } from './metadata-shape.ts'

const Text = Type.Optional(Type.String())

export const Listed = Type.Object({
  name: Type.String(),
  sizeBytes: Type.Integer({ minimum: 0 }),
  mimeType: Text,
  description: Text,
  created: Text,
  modified: Text,
  relationship: Text,
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'Where a note holds it.' })),
  checksum: Type.Optional(Type.String({ description: 'MD5, as the document has it.' })),
})

export const GivenAttachment = Type.Object({
  file: FileInput(),
  name: Type.String({ minLength: 1, maxLength: 255 }),
  mimeType: Type.Optional(Type.String({ maxLength: 127, pattern: '^[\\w.+-]+/[\\w.+-]+$' })),
  description: Type.Optional(Type.String({ maxLength: 2000 })),
  relationship: Type.Optional(Choice(['Source', 'Data', 'Alternative', 'Supplement', 'Unspecified'])),
})

/** What a document says of its files is believed by nobody who is handed them. */
export const UNKNOWN = 'application/octet-stream'

/** Of a file that was taken out: what the document calls it. */
export const FACTS = { attachment: Type.String(), mimeType: Text }

export interface Found {
  name: string
  stream: number
  sizeBytes: number
  mimeType?: string
  description?: string
  created?: string
  modified?: string
  relationship?: string
  page?: number
  checksum?: string
}

export interface Given {
  file: InputFile
  name: string
  mimeType?: string
  description?: string
  relationship?: string
}

export interface AttachmentsInput {
  action: 'list' | 'extract' | 'add' | 'remove'
  names?: string[]
  attachments?: Given[]
  replace: boolean
  zip: boolean
}

/** Options of one action are a mistake with another. */
export function checkAction({ action, names, attachments, replace, zip }: AttachmentsInput): void {
  const wrong = [
    names && action !== 'extract' && action !== 'remove' && 'names',
    attachments && action !== 'add' && 'attachments',
    replace && action !== 'add' && 'replace',
    zip && action !== 'extract' && 'zip',
  ].filter(field => typeof field === 'string')
  if (wrong.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['action', ...wrong] })
  if (action === 'add' && !attachments) throw new Problem('MISSING_FIELD', { field: 'attachments' })
  if (action === 'remove' && !names) throw new Problem('MISSING_FIELD', { field: 'names' })
}

/** As the wire has it. */
export function listed({ stream: _, created, modified, ...rest }: Found) {
  return { ...rest, created: isoOf(created), modified: isoOf(modified) }
}

/** Those that are named, or all; a name may stand for several. */
export function chosen(found: readonly Found[], names: readonly string[] | undefined): Found[] {
  if (!names) return [...found]
  const missing = names.filter(name => !found.some(each => each.name === name))
  if (missing.length > 0) {
    const available = found.slice(0, 100).map(({ name }) => name)
    throw new Problem('ATTACHMENT_NOT_FOUND', { names: missing, available })
  }
  return found.filter(({ name }) => names.includes(name))
}

export function partOf({ name, mimeType }: Found, path: string, index: number) {
  return { index, path, contentType: UNKNOWN, name: safeName(name, index), attachment: name, mimeType }
}

/** The name of a file that was unpacked: nowhere but here, and never empty. */
function safeName(name: string, index: number): string {
  const plain = basename(name.replaceAll('\\', '/')).replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
  const clean = plain.replace(/^\.+/, '').trim().slice(0, 255)
  return clean || `attachment-${index + 1}`
}

/** Names that are there already, or twice among those given, are refused unless the old ones are to go. */
export function checkNew(given: readonly { name: string }[], found: readonly Found[], replace: boolean): void {
  const names = given.map(({ name }) => name)
  const twice = names.filter((name, index) => names.indexOf(name) < index)
  const taken = replace ? [] : names.filter(name => found.some(each => each.name === name))
  if (twice.length + taken.length > 0)
    throw new Problem('ATTACHMENT_EXISTS', { names: [...new Set([...twice, ...taken])] })
}

/** As the document is to describe it. */
export function givenOf({ name, file, mimeType, description, relationship }: Given, index: number) {
  return { name: safeName(name, index), mimeType: mimeType ?? file.type, description, relationship }
}

import { basename } from 'node:path'
import { Type } from 'typebox'
import { Choice, cleanName, FileInput, type InputFile, Problem, SHORTHAND_RULE } from '#kit'
import type { Attachment } from '../../formats/pdf/document.ts'
import { parsePdfTime } from '../../formats/pdf/properties.ts'

const Text = Type.Optional(Type.String())

export const ListedAttachment = Type.Object({
  name: Type.String(),
  sizeBytes: Type.Integer({ minimum: 0 }),
  mimeType: Text,
  description: Text,
  created: Text,
  modified: Text,
  relationship: Text,
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'Page whose annotation holds the file.' })),
  checksum: Type.Optional(Type.String({ description: 'MD5, as recorded in the document.' })),
})

export const AttachmentNames = Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
  minItems: 1,
  maxItems: 1000,
  description: 'For extract and remove; without it extract returns all files.',
})

export const AttachmentInput = Type.Object(
  {
    file: FileInput({
      description: 'A source. Its one member may also stand beside `name` instead, as in archive.zip.',
    }),
    name: Type.String({ minLength: 1, maxLength: 255 }),
    mimeType: Type.Optional(Type.String({ maxLength: 127, pattern: '^[\\w.+-]+/[\\w.+-]+$' })),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    relationship: Type.Optional(Choice(['Source', 'Data', 'Alternative', 'Supplement', 'Unspecified'])),
  },
  { [SHORTHAND_RULE]: ['inline', 'inputKey', 'text', 'url', 'batonId', 'entryRef'] },
)

/** Files are served under this type, because a document may claim any type for its attachments. */
export const UNTRUSTED_CONTENT_TYPE = 'application/octet-stream'

/** Name and type of an extracted file as the document claims them. */
export const PART_FIELDS = { attachment: Type.String(), mimeType: Text }

interface GivenAttachment {
  file: InputFile
  name: string
  mimeType?: string
  description?: string
  relationship?: string
}

interface AttachmentsInput {
  action: 'list' | 'extract' | 'add' | 'remove'
  names?: string[]
  attachments?: GivenAttachment[]
  replace: boolean
  zip: boolean
}

export const PDFA_LOST = {
  code: 'PDFA_LOST',
  message: 'This level of PDF/A does not allow such attachments; the PDF/A claim was removed.',
}

/** Rejects options that belong to another action. */
export function checkAction({ action, names, attachments, replace, zip }: AttachmentsInput): void {
  const conflicting = [
    names && action !== 'extract' && action !== 'remove' && 'names',
    attachments && action !== 'add' && 'attachments',
    replace && action !== 'add' && 'replace',
    zip && action !== 'extract' && 'zip',
  ].filter(field => typeof field === 'string')
  if (conflicting.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['action', ...conflicting] })
  if (action === 'add' && !attachments) throw new Problem('MISSING_FIELD', { field: 'attachments' })
  if (action === 'remove' && !names) throw new Problem('MISSING_FIELD', { field: 'names' })
}

export function describeAttachment({ stream: _, created, modified, ...rest }: Attachment) {
  return { ...rest, created: parsePdfTime(created), modified: parsePdfTime(modified) }
}

/** The named attachments, or all without names; several attachments may share a name. */
export function selectAttachments(found: readonly Attachment[], names: readonly string[] | undefined): Attachment[] {
  if (!names) return [...found]
  const missing = names.filter(name => !found.some(attachment => attachment.name === name))
  if (missing.length > 0) {
    const available = found.slice(0, 100).map(({ name }) => name)
    throw new Problem('ATTACHMENT_NOT_FOUND', { names: missing, available })
  }
  return found.filter(({ name }) => names.includes(name))
}

export function describePart({ name, mimeType }: Attachment, path: string, index: number) {
  return {
    index,
    path,
    contentType: UNTRUSTED_CONTENT_TYPE,
    name: sanitizeName(name, index),
    attachment: name,
    mimeType,
  }
}

/** A file name without folders or invisible characters, and never empty. */
function sanitizeName(name: string, index: number): string {
  const base = basename(name.replaceAll('\\', '/'))
  const cleaned = cleanName(cleanName(base, Infinity).replace(/^\.+/, ''))
  return cleaned || `attachment-${index + 1}`
}

/** Rejects names that are given twice, or that exist already and are not to be replaced. */
export function checkNewNames(
  given: readonly { name: string }[],
  found: readonly Attachment[],
  replace: boolean,
): void {
  const names = given.map(({ name }) => name)
  const repeated = names.filter((name, index) => names.indexOf(name) < index)
  const existing = replace ? [] : names.filter(name => found.some(attachment => attachment.name === name))
  if (repeated.length + existing.length > 0)
    throw new Problem('ATTACHMENT_EXISTS', { names: [...new Set([...repeated, ...existing])] })
}

export function toNewAttachment({ name, file, mimeType, description, relationship }: GivenAttachment, index: number) {
  return { name: sanitizeName(name, index), mimeType: mimeType ?? file.type, description, relationship }
}

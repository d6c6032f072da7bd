import type { IncomingMessage } from 'node:http'
import { Problem } from '#kit'
import { type FileFields, fieldFor } from './file-fields.ts'
import { readForm } from './form.ts'
import { parseJson } from './json.ts'
import type { Texts } from './options.ts'
import { takeUpload, type Upload, type UploadRoom } from './upload.ts'

/** What a form holds, sorted: plain fields, the `options` part, and a source for each file. */
export interface Parts {
  texts: Texts
  options: Record<string, unknown>
  files: Record<string, unknown>
  /** Which part each upload came as. */
  names: Record<string, string>
}

/** All files of one form together may be as large as four of the largest. */
const FORM_FILES = 4

export async function readParts(
  request: IncomingMessage,
  fields: FileFields,
  room: UploadRoom,
  uploads: Map<string, Upload>,
): Promise<Parts> {
  const parts: Parts = { texts: {}, options: {}, files: {}, names: {} }
  const total = { bytes: 0 }
  await readForm(request, {
    isFile: (name, filename) => name !== 'options' && (filename !== undefined || fieldFor(name, fields) !== undefined),
    field: (name, value) => {
      if (name === 'options') parts.options = optionsOf(parseJson(Buffer.from(value)))
      else addText(parts.texts, name, value)
    },
    file: async (name, stream, filename) => {
      const field = fieldFor(name, fields)
      if (!field) throw new Problem('UNKNOWN_FIELD', { field: name, fileFields: [...fields.keys()] })
      const key = `upload:${Object.keys(parts.names).length}`
      place(parts.files, field, fields.get(field) === 'many', { inputKey: key })
      parts.names[key] = name
      const upload = await takeUpload(stream, inTotal(room, total))
      uploads.set(key, { ...upload, name: filename })
      total.bytes += upload.sizeBytes
      const ceiling = FORM_FILES * room.maxBytes
      if (total.bytes > ceiling) throw new Problem('BODY_TOO_LARGE', { ceiling })
    },
  })
  return parts
}

/** Only few small files of a form stay in memory together. */
function inTotal(room: UploadRoom, total: { bytes: number }): UploadRoom {
  return { ...room, memoryBytes: total.bytes > 2 ** 20 ? 0 : room.memoryBytes }
}

function optionsOf(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Problem('INVALID_PARAM', { field: 'options', expected: 'object' })
}

function addText(texts: Texts, name: string, value: string): void {
  const before = Object.hasOwn(texts, name) ? texts[name] : undefined
  const next = before === undefined ? value : [before, value].flat()
  Object.defineProperty(texts, name, { value: next, enumerable: true, configurable: true, writable: true })
}

function place(files: Record<string, unknown>, field: string, isList: boolean, source: object): void {
  if (isList) files[field] = [...((files[field] as unknown[] | undefined) ?? []), source]
  else if (files[field] === undefined) files[field] = source
  else throw new Problem('INVALID_MULTIPART', { reason: 'This field takes one file.', field })
}

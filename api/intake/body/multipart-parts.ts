import type { IncomingMessage } from 'node:http'
import { Problem } from '#kit'
import { type FileFields, findFileField } from './file-fields.ts'
import { parseBody } from './json.ts'
import { readForm } from './multipart.ts'
import type { Texts } from './options.ts'
import { receiveUpload, type Upload, type UploadLimits } from './upload.ts'

/** What a form holds, sorted: plain fields, the `options` part, and a source for each file. */
interface FormParts {
  texts: Texts
  options: Record<string, unknown>
  files: Record<string, unknown>
  /** The name of the part of each upload. */
  names: Record<string, string>
}

/** The parts that hold all other fields as JSON, by the names that clients know. */
const OPTION_PARTS = new Set(['options', 'payload'])

/** The files of one form together may be four times as large as the largest single file. */
const FORM_FILES = 4

export async function readParts(
  request: IncomingMessage,
  fields: FileFields,
  limits: UploadLimits,
  uploads: Map<string, Upload>,
): Promise<FormParts> {
  const parts: FormParts = { texts: {}, options: {}, files: {}, names: {} }
  const total = { bytes: 0 }
  await readForm(request, {
    isFile: (name, filename) =>
      !OPTION_PARTS.has(name) && (filename !== undefined || findFileField(name, fields) !== undefined),
    field: (name, value) => {
      if (OPTION_PARTS.has(name)) parts.options = optionsOf(name, parseBody(Buffer.from(value)))
      else addText(parts.texts, name, value)
    },
    file: async (name, stream, filename) => {
      const field = findFileField(name, fields)
      if (!field) throw new Problem('UNKNOWN_FIELD', { field: name, fileFields: [...fields.keys()] })
      const key = `upload:${Object.keys(parts.names).length}`
      const source = { inputKey: key }
      const before = parts.files[field] as object[] | undefined
      if (fields.get(field) === 'many') parts.files[field] = [...(before ?? []), source]
      else if (before === undefined) parts.files[field] = source
      else throw new Problem('INVALID_MULTIPART', { reason: 'This field takes one file.', field })
      parts.names[key] = name
      const upload = await receiveUpload(stream, inTotal(limits, total))
      uploads.set(key, { ...upload, name: filename })
      total.bytes += upload.sizeBytes
      const ceiling = FORM_FILES * limits.maxBytes
      if (total.bytes > ceiling) throw new Problem('BODY_TOO_LARGE', { ceiling })
    },
  })
  return parts
}

/** Limits how much of a form's small files stays in memory. */
function inTotal(limits: UploadLimits, total: { bytes: number }): UploadLimits {
  return { ...limits, memoryBytes: total.bytes > 2 ** 20 ? 0 : limits.memoryBytes }
}

function optionsOf(field: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Problem('INVALID_PARAM', { field, expected: 'object' })
}

function addText(texts: Texts, name: string, value: string): void {
  const before = Object.hasOwn(texts, name) ? texts[name] : undefined
  const next = before === undefined ? value : [before, value].flat()
  Object.defineProperty(texts, name, { value: next, enumerable: true, configurable: true, writable: true })
}

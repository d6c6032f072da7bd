import { type InputFile, Problem } from '#kit'
import { CONVERSIONS, MARKUP_FORMATS, SOURCE_FORMATS, type SourceFormat } from '../../formats/markup/formats.ts'

const BINARY_FORMATS = ['docx', 'odt', 'epub'] as const
type BinaryFormat = (typeof BINARY_FORMATS)[number]

/** What other types are called that are no text. */
const TEXTUAL = /^text\/|^image\/svg\+xml$|^application\/(?:xml|json|x-ndjson|octet-stream)$/

/** Finds the format of a document: what its content shows, or what the caller says of a text. */
export async function detectFormat(file: InputFile, requested: string | undefined): Promise<SourceFormat> {
  const claimed = requested === undefined ? undefined : requireSourceFormat(requested)
  const binary = BINARY_FORMATS.find(format => MARKUP_FORMATS[format].mime === file.type)
  if (binary) return agree(binary, claimed, file.type)
  if (file.type === 'application/zip' && isBinary(claimed)) return claimed
  if (file.type === 'application/x-cfb') await rejectIfEncrypted(file)
  if (!TEXTUAL.test(file.type) || isBinary(claimed)) throw unsupported(file.type)
  if (claimed) return claimed
  if (file.type === 'text/html') return 'html'
  if (file.type === 'application/json' && (await isNotebook(file))) return 'ipynb'
  throw new Problem('MISSING_FIELD', { field: 'from', allowed: SOURCE_FORMATS })
}

export function requireSourceFormat(name: string): SourceFormat {
  if (Object.hasOwn(CONVERSIONS, name)) return name as SourceFormat
  throw new Problem('UNSUPPORTED_FORMAT', { field: 'from', detected: name, supported: SOURCE_FORMATS })
}

function agree(found: BinaryFormat, claimed: SourceFormat | undefined, type: string): BinaryFormat {
  if (claimed === undefined || claimed === found) return found
  throw new Problem('UNSUPPORTED_FORMAT', { field: 'from', detected: type, supported: [found] })
}

function isBinary(format: SourceFormat | undefined): format is BinaryFormat {
  return (BINARY_FORMATS as readonly string[]).includes(format ?? '')
}

function unsupported(type: string): Problem {
  const isOffice = /msword|ms-|x-cfb|officedocument|opendocument|rtf/.test(type)
  const hint = isOffice
    ? { try: '/v1/pdf/from-office' }
    : type === 'application/pdf'
      ? { try: '/v1/pdf/to-markdown' }
      : {}
  return new Problem('UNSUPPORTED_FORMAT', { field: 'file', detected: type, supported: SOURCE_FORMATS, ...hint })
}

const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le')

/** A docx with a password is wrapped in a compound file. */
async function rejectIfEncrypted(file: InputFile): Promise<void> {
  if (Buffer.from(await file.bytes()).includes(ENCRYPTED_PACKAGE)) throw new Problem('DOC_ENCRYPTED', { field: 'file' })
}

async function isNotebook(file: InputFile): Promise<boolean> {
  return Buffer.from(await file.bytes()).includes('"nbformat"')
}

import { recogniseBinary, UNKNOWN_TYPE } from '../../formats/file-types/recognise.ts'
import { recogniseText } from '../../formats/file-types/text.ts'
import { type Charset, readText } from './charset.ts'

export interface ContentType {
  name: string
  /** How names of such files end; empty if any ending may be right. */
  ending: string
}

/** The type of content, and its text if it is text. `declared` is the type of bytes that show none. */
export async function recogniseContent(
  bytes: Uint8Array,
  charset: Charset,
  declared = UNKNOWN_TYPE,
): Promise<{ contentType: ContentType; text?: string }> {
  const binary = await recogniseBinary(bytes)
  if (binary) return { contentType: toContentType(binary.type, `.${binary.extension}`) }
  const text = readText(bytes, charset)
  return { contentType: toContentType(text === undefined ? declared : recogniseTextType(text)), text }
}

/** Longer texts are not parsed to find out whether they are JSON. */
const MAX_JSON_LENGTH = 2 ** 20

function recogniseTextType(text: string): string {
  const { types, isCertain } = recogniseText(text)
  if (isCertain) return types[0]!
  return types[0] === 'application/json' && isJson(text) ? 'application/json' : 'text/plain'
}

function isJson(text: string): boolean {
  if (text.length > MAX_JSON_LENGTH) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const ENDINGS: Record<string, string | undefined> = {
  'text/plain': '.txt',
  'image/jpeg': '.jpg',
  'image/svg+xml': '.svg',
  'image/x-icon': '.ico',
  'audio/mpeg': '.mp3',
  'application/gzip': '.gz',
  'application/x-bzip2': '.bz2',
  'application/x-xz': '.xz',
  'application/zstd': '.zst',
  'application/x-7z-compressed': '.7z',
  'application/vnd.sqlite3': '.sqlite',
}

export function toContentType(name: string, usualEnding = ''): ContentType {
  const isPlainWord = /^[a-z]+\/[a-z0-9]{2,5}$/.test(name)
  return { name, ending: ENDINGS[name] ?? (isPlainWord ? `.${name.split('/')[1]}` : usualEnding) }
}

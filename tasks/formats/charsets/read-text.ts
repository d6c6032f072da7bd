import { type InputFile, Problem, type Warning } from '#kit'
import { guessLegacyCharset } from './guess.ts'
import { detectByteOrderMark, guessUtf16 } from './utf16.ts'

export interface ReadText {
  text: string
  warnings?: Warning[]
}

/** What has no byte that a text may not have, in small files of these types. */
const BINARY = /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|vnd\.openxmlformats-|x-7z-))/

/** Reads a file by its byte order mark, otherwise as UTF-8 or UTF-16, or in the charset that its letters speak for. */
export async function readTextFile(file: InputFile): Promise<ReadText> {
  if (BINARY.test(file.type)) throw notText(file)
  const bytes = await file.bytes()
  const unicode = detectByteOrderMark(bytes) ?? guessUtf16(bytes) ?? 'utf-8'
  try {
    return { text: new TextDecoder(unicode, { fatal: true }).decode(bytes) }
  } catch {
    if (bytes.includes(0)) throw notText(file)
    const charset = guessLegacyCharset(bytes)
    const message = `The file is not UTF-8; it was read as ${charset.replace(/^windows/, 'Windows')}.`
    return { text: new TextDecoder(charset).decode(bytes), warnings: [{ code: 'CHARSET_GUESSED', message }] }
  }
}

function notText({ type }: InputFile): Problem {
  return new Problem('UNSUPPORTED_FORMAT', { detected: type, supported: ['text/plain'] })
}

import { type InputFile, Problem, type Warning } from '#kit'
import { guessLegacyCharset } from './guess.ts'

export interface ReadText {
  text: string
  warnings?: Warning[]
}

/** What has no byte that a text may not have, in small files of these types. */
const BINARY = /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|vnd\.openxmlformats-|x-7z-))/

/** Reads a file by its byte order mark, otherwise as UTF-8, or in the charset that its letters speak for. */
export async function readTextFile(file: InputFile): Promise<ReadText> {
  if (BINARY.test(file.type)) throw notText(file)
  const bytes = await file.bytes()
  try {
    return { text: new TextDecoder(detectByteOrderMark(bytes) ?? 'utf-8', { fatal: true }).decode(bytes) }
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

export function detectByteOrderMark([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

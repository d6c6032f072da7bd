import { Type } from 'typebox'
import {
  Choice,
  exactlyOne,
  FileInput,
  type InputFile,
  type OutputFile,
  Problem,
  perStartedBytes,
  type Warning,
} from '#kit'

const MEBIBYTE = 2 ** 20
const TEXT_LIMIT_BYTES = 4 * MEBIBYTE
/** Longer results are given back as files. */
const ANSWER_LIMIT_BYTES = MEBIBYTE

export const TEXT_OR_FILE = {
  text: Type.Optional(Type.String({ description: 'At most 4 MiB of UTF-8. Give text or file.' })),
  file: Type.Optional(
    FileInput({ description: 'A text file in UTF-8, in UTF-16 with its mark, or in Windows-1252. Give text or file.' }),
  ),
}

export const OUT_FORMAT = Type.Optional(Choice(['json', 'file'], { description: 'Left out: JSON up to 1 MiB.' }))

/** 0.001 USD covers the first MiB, 0.001 USD more each started 5 MiB after it; `fields` are the texts besides files. */
export function textPrice<Input extends object>(fields: readonly string[] = ['text', 'texts']) {
  return perStartedBytes<Input>({ base: '0.001', covered: MEBIBYTE, step: 5 * MEBIBYTE, dollars: '0.001' }, input =>
    fields.reduce((sum, field) => sum + textBytes((input as Record<string, unknown>)[field]), 0),
  )
}

function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + textBytes(item), 0)
  return 0
}

export interface Read {
  text: string
  warnings?: Warning[]
}

export async function readContent(input: { text?: string; file?: InputFile }): Promise<Read> {
  if (exactlyOne(input, ['text', 'file']) === 'file') return readTextFile(input.file!)
  checkTextSize(input.text!)
  return { text: input.text! }
}

export function checkTextSize(text: string, field = 'text'): void {
  if (text.length * 3 <= TEXT_LIMIT_BYTES) return
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > TEXT_LIMIT_BYTES) {
    throw new Problem('INPUT_TOO_LARGE', { field, sizeBytes, limitBytes: TEXT_LIMIT_BYTES })
  }
}

/** The mark a file begins with says its charset; without one it is UTF-8 if it can be. */
export async function readTextFile(file: InputFile): Promise<Read> {
  const bytes = await file.bytes()
  try {
    return { text: new TextDecoder(markedCharset(bytes) ?? 'utf-8', { fatal: true }).decode(bytes) }
  } catch {
    if (bytes.includes(0)) throw new Problem('UNSUPPORTED_FORMAT', { detected: file.type, supported: ['text/plain'] })
    const message = 'The file is not UTF-8; it was read as Windows-1252.'
    return { text: new TextDecoder('windows-1252').decode(bytes), warnings: [{ code: 'CHARSET_GUESSED', message }] }
  }
}

function markedCharset([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

export function answerText(
  text: string,
  outFormat: 'json' | 'file' | undefined,
  name: string,
  contentType = 'text/plain',
): TextAnswer {
  if (isShort(text) && outFormat !== 'file') return { text }
  return { output: { bytes: Buffer.from(text), contentType, name } }
}

export function isShort(text: string): boolean {
  return text.length * 3 <= ANSWER_LIMIT_BYTES || Buffer.byteLength(text) <= ANSWER_LIMIT_BYTES
}

export interface TextAnswer {
  text?: string
  output?: OutputFile
}

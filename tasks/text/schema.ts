import { Type } from 'typebox'
import {
  ALIASES_RULE,
  Choice,
  exactlyOne,
  FileInput,
  type InputFile,
  type OutputFile,
  Problem,
  perStartedBytes,
} from '#kit'
import { type ReadText, readTextFile } from '../formats/charsets/read-text.ts'
import { detectByteOrderMark } from '../formats/charsets/utf16.ts'
import { findDeclaredCharset } from '../formats/html/charset.ts'

const MEBIBYTE = 2 ** 20
const TEXT_LIMIT_BYTES = 4 * MEBIBYTE
/** Longer results are returned as files. */
const ANSWER_LIMIT_BYTES = MEBIBYTE

export const TEXT_OR_FILE = {
  text: Type.Optional(Type.String({ description: 'At most 4 MiB of UTF-8. Give text or file.' })),
  file: Type.Optional(
    FileInput({
      description: 'A text file in UTF-8, UTF-16 or a charset that is guessed. Give text or file.',
    }),
  ),
}

/** The text field of an operation for which callers also use another name. */
export function textNamed(alias: string) {
  const description = `At most 4 MiB of UTF-8. Give text or file; \`${alias}\` is another name for text.`
  return Type.Optional(Type.String({ description, [ALIASES_RULE]: [alias] }))
}

export const HTML_OR_FILE = {
  text: textNamed('html'),
  file: Type.Optional(
    FileInput({
      description:
        'A page in the charset of its byte order mark or its meta tag, else in UTF-8 or one that is guessed. Give text or file.',
    }),
  ),
}

export const OUT_FORMAT = Type.Optional(Choice(['json', 'file'], { description: 'Left out: JSON up to 1 MiB.' }))

/** 0.001 USD for the first MiB, and 0.001 USD for each started 5 MiB after it. `fields` are text fields to count besides files. */
export function textPrice<Input extends object>(fields: readonly string[] = ['text', 'texts']) {
  return perStartedBytes<Input>({ base: '0.001', covered: MEBIBYTE, step: 5 * MEBIBYTE, dollars: '0.001' }, input =>
    fields.reduce((sum, field) => sum + countTextBytes((input as Record<string, unknown>)[field]), 0),
  )
}

function countTextBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countTextBytes(item), 0)
  return 0
}

export async function readContent(input: { text?: string; file?: InputFile }): Promise<ReadText> {
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

/** The same for a page, which may declare its charset. */
export async function readHtmlContent(input: { text?: string; file?: InputFile }): Promise<ReadText> {
  if (exactlyOne(input, ['text', 'file']) === 'text') return readContent(input)
  const bytes = await input.file!.bytes()
  const encoding = detectByteOrderMark(bytes) ? undefined : findDeclaredCharset(bytes)
  return encoding === undefined || encoding === 'utf-8' ? readTextFile(input.file!) : decodeAs(encoding, bytes)
}

/** Bytes that the declared charset does not have are replaced, as browsers do. */
function decodeAs(encoding: string, bytes: Uint8Array): ReadText {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) }
  } catch {
    const message = `Some bytes are not valid ${encoding}, the declared charset; they were replaced.`
    return { text: new TextDecoder(encoding).decode(bytes), warnings: [{ code: 'CHARSET_INVALID', message }] }
  }
}

export function answerText(
  text: string,
  outFormat: 'json' | 'file' | undefined,
  name: string,
  contentType = 'text/plain',
): TextAnswer {
  if (fitsInline(text) && outFormat !== 'file') return { text }
  return { output: { bytes: Buffer.from(text), contentType, name } }
}

export function fitsInline(text: string): boolean {
  return text.length * 3 <= ANSWER_LIMIT_BYTES || Buffer.byteLength(text) <= ANSWER_LIMIT_BYTES
}

interface TextAnswer {
  text?: string
  output?: OutputFile
}

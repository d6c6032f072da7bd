import { Type } from 'typebox'
import { FileInput, Problem, perStartedBytes } from '#kit'

const MEBIBYTE = 2 ** 20
const TEXT_LIMIT_BYTES = 4 * MEBIBYTE
/** Longer texts are returned as files. */
export const ANSWER_LIMIT_BYTES = MEBIBYTE
/** Files up to this size are read as a whole; larger ones are streamed. */
const WHOLE_LIMIT_BYTES = MEBIBYTE

export function contentFields(what: string) {
  return {
    text: Type.Optional(Type.String({ description: `${what} as text, at most 4 MiB of UTF-8. Give text or file.` })),
    file: Type.Optional(FileInput({ description: `${what} as a file. Give text or file.` })),
  }
}

/** 0.001 USD for the first 5 MiB of files, and 0.001 USD for each started 5 MiB after them. */
export const CONTENT_PRICE = perStartedBytes({
  base: '0.001',
  covered: 5 * MEBIBYTE,
  step: 5 * MEBIBYTE,
  dollars: '0.001',
})

/** A UTF-16 code unit takes at most three bytes in UTF-8, so short texts need not be measured. */
export function requireBytes(text: string): void {
  // As UTF-8 it would be the bytes of another text.
  if (!text.isWellFormed())
    throw new Problem('INVALID_PARAM', { field: 'text', reason: 'It has half a surrogate pair, which has no bytes.' })
  if (text.length * 3 <= TEXT_LIMIT_BYTES) return
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > TEXT_LIMIT_BYTES) {
    throw new Problem('INPUT_TOO_LARGE', { field: 'text', sizeBytes, limitBytes: TEXT_LIMIT_BYTES })
  }
}

export function isSmall({ sizeBytes }: { sizeBytes: number }): boolean {
  return sizeBytes <= WHOLE_LIMIT_BYTES
}

import { isUtf8 } from 'node:buffer'
import { type InputFile, Problem, type Warning } from '#kit'
import { guessLegacyCharset } from '../../formats/charsets/guess.ts'
import { detectByteOrderMark, guessUtf16 } from '../../formats/charsets/utf16.ts'
import { checkTextSize } from '../schema.ts'

interface MailSource {
  bytes: Uint8Array
  warnings: Warning[]
}

/** Outlook's own files are compound files, as old Office files are. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const SEPARATOR = /\r?\n\r?\nFrom (?=\S+ .*\d{4}\r?\n[A-Za-z-]+:)/
/** Latin-1 has a character for each byte, so positions stay the same. */
const toCharacters = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/** The bytes of one mail, whose headers are UTF-8 and whose parts are as they say. */
export async function readMailSource({ text, file }: { text?: string; file?: InputFile }): Promise<MailSource> {
  if (text !== undefined) {
    checkTextSize(text)
    return takeFirstMail(Buffer.from(text))
  }
  const bytes = await file!.bytes()
  if (COMPOUND_FILE.equals(bytes.subarray(0, 8)))
    throw new Problem('UNSUPPORTED_FORMAT', {
      detected: 'msg',
      supported: ['eml'],
      reason: 'Save it as .eml in Outlook.',
    })
  const unicode = detectByteOrderMark(bytes) ?? guessUtf16(bytes)
  if (unicode) return takeFirstMail(Buffer.from(new TextDecoder(unicode).decode(bytes)))
  const { warnings, ...first } = takeFirstMail(bytes)
  const read = decodeUndeclared(first.bytes)
  return { bytes: read.bytes, warnings: [...warnings, ...read.warnings] }
}

/** A mailbox file begins with a line “From”, and has such a line before each of its mails. */
function takeFirstMail(bytes: Uint8Array): MailSource {
  const isMailbox = toCharacters(bytes.subarray(0, 5)) === 'From '
  const end = isMailbox ? toCharacters(bytes).search(SEPARATOR) : -1
  if (end < 0) return { bytes, warnings: [] }
  const message =
    'The file is a mailbox of several mails; this is the first. Split it at its lines “From” to read the others.'
  return { bytes: bytes.subarray(0, end), warnings: [{ code: 'FIRST_MAIL_ONLY', message }] }
}

/** Headers as plain bytes of an old charset, and texts that tell none, are read by what their letters speak for. */
function decodeUndeclared(bytes: Uint8Array): MailSource {
  if (isUtf8(bytes)) return { bytes, warnings: [] }
  const characters = toCharacters(bytes)
  const end = /charset\s*=/i.test(characters) ? characters.search(/\r?\n\r?\n/) : bytes.length
  const undeclared = bytes.subarray(0, end < 0 ? bytes.length : end)
  if (isUtf8(undeclared)) return { bytes, warnings: [] }
  const charset = guessLegacyCharset(undeclared)
  const decoded = Buffer.from(new TextDecoder(charset).decode(undeclared))
  const message = `The mail has letters without a charset; they were read as ${charset.replace(/^windows/, 'Windows')}.`
  return {
    bytes: Buffer.concat([decoded, bytes.subarray(undeclared.length)]),
    warnings: [{ code: 'CHARSET_GUESSED', message }],
  }
}

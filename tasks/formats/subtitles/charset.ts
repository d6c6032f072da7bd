import { isUtf8 } from 'node:buffer'
import { Problem, type Warning } from '#kit'
import { guessLegacyCharset } from '../charsets/guess.ts'
import { detectByteOrderMark, guessUtf16 } from '../charsets/utf16.ts'

export const SUBTITLE_ENCODINGS = [
  ...([
    'auto',
    'utf-8',
    'utf-16le',
    'utf-16be',
    'windows-1250',
    'windows-1251',
    'windows-1252',
    'windows-1253',
  ] as const),
  ...(['windows-1254', 'windows-1255', 'windows-1256', 'windows-1257', 'windows-1258', 'windows-874'] as const),
  ...(['iso-8859-2', 'koi8-r', 'gbk', 'gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr'] as const),
] as const
export type SubtitleEncoding = (typeof SUBTITLE_ENCODINGS)[number]

/** Reads text of any encoding. Without marks the encoding is guessed from the letters that it would give. */
export function decodeSubtitles(bytes: Uint8Array, wanted: SubtitleEncoding): { text: string; warnings: Warning[] } {
  const certain = detectByteOrderMark(bytes) ?? guessUtf16(bytes) ?? (isUtf8(bytes) ? 'utf-8' : undefined)
  const encoding = wanted === 'auto' ? (certain ?? guessLegacyCharset(bytes)) : wanted
  const text = decode(bytes, encoding)
  if (text === undefined || text.includes('\0'))
    throw new Problem('SUBTITLE_PARSE_FAILED', { line: 1, detail: `it is not text in ${encoding}`, try: 'encoding' })
  const isGuessed = wanted === 'auto' && certain === undefined
  const guess = { code: 'CHARSET_GUESSED', message: `The subtitles are not Unicode; they were read as ${encoding}.` }
  return { text, warnings: isGuessed ? [guess] : [] }
}

function decode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

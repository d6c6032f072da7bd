import { isUtf8 } from 'node:buffer'
import { Problem, type Warning } from '#kit'
import { guessLegacyCharset } from '../charsets/guess.ts'

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
  const certain = findUnicode(bytes)
  const encoding = wanted === 'auto' ? (certain ?? guessLegacyCharset(bytes)) : wanted
  const text = decode(bytes, encoding)
  if (text === undefined || text.includes('\0'))
    throw new Problem('SUBTITLE_PARSE_FAILED', { line: 1, detail: `it is not text in ${encoding}`, try: 'encoding' })
  const isGuessed = wanted === 'auto' && certain === undefined
  const guess = { code: 'CHARSET_GUESSED', message: `The subtitles are not Unicode; they were read as ${encoding}.` }
  return { text, warnings: isGuessed ? [guess] : [] }
}

const SAMPLE_BYTES = 4096

/** UTF-16 without a mark has a zero in nearly every pair of bytes, at least in its times and line ends. */
function findUnicode(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const zeros = [0, 0]
  const head = bytes.subarray(0, SAMPLE_BYTES)
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2]!++
  const many = head.length / 10
  if (zeros[1]! > many && zeros[0]! < many / 4) return 'utf-16le'
  if (zeros[0]! > many && zeros[1]! < many / 4) return 'utf-16be'
  return isUtf8(bytes) ? 'utf-8' : undefined
}

function decode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

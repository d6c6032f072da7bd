import { isUtf8 } from 'node:buffer'
import { Problem, type Warning } from '#kit'

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
  const encoding = wanted === 'auto' ? (certain ?? guessEncoding(bytes)) : wanted
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

const HAN = '\\p{Script=Han}'
/** What most characters of a text are if it was read in the right East Asian encoding, and some of them must be. */
const EAST_ASIAN: readonly { encoding: string; most: RegExp; some?: RegExp }[] = [
  {
    encoding: 'shift_jis',
    most: new RegExp(`[${HAN}\u3041-\u30FF\u3000-\u301F\uFF00-\uFF5E]`, 'gu'),
    some: /[\u3041-\u3096]/gu,
  },
  {
    encoding: 'euc-jp',
    most: new RegExp(`[${HAN}\u3041-\u30FF\u3000-\u301F\uFF00-\uFF5E]`, 'gu'),
    some: /[\u3041-\u3096]/gu,
  },
  { encoding: 'euc-kr', most: /[\uAC00-\uD7A3\u3000-\u301F\uFF00-\uFF5E]/gu, some: /[\uAC00-\uD7A3]/gu },
]

/** The commonest letters of the languages that are written in an encoding of single bytes. */
const LETTERS: readonly [encoding: string, letters: string][] = [
  ['windows-1252', 'éèàçùâêîôûëïüöäßñóíáúãõåæøÉÈÀÜÖÄÑÅÆØ¿¡œ’“”…–—«»'],
  ['windows-1250', 'ąćęłńóśźżěščřžýáíéúůőűâîşţăđäöüŁŚŻŠČŘŽ’“”„…–—'],
  ['windows-1254', 'ğşıİçöüŞÇÖÜĞâ’“”…–—'],
  ['windows-1251', 'оеаинтсрвлкмдпуяыьгзбчйхжшюОНПВКТ’«»…–—'],
  ['koi8-r', 'оеаинтсрвлкмдпуяыьгзбчйхжшюОНПВКТ'],
  ['windows-1253', 'αοιετσνηυρπκμλςάίέόήωύώδγχθφβξζψ’«»…–—'],
  ['windows-1255', 'יוהלאברתשמנםעדחקפטגכסזצןךףץ’“”…–—'],
  ['windows-1256', 'اليمنرتبةعدسفحهكقجأصشطخىإذغزضئءثؤظآ،؟’“”…–—'],
  ['windows-874', 'านรกอเงมยลวดทสตบปคหแจพชขใไโผถณธศษซญ่้ีิั็ะาุู์ืึำๆ'],
]

function guessEncoding(bytes: Uint8Array): string {
  return guessEastAsian(bytes) ?? guessSingleByte(bytes)
}

/** East Asian text has runs of characters; letters with accents in other text stand alone, and would give single ones. */
function guessEastAsian(bytes: Uint8Array): string | undefined {
  for (const { encoding, most, some } of EAST_ASIAN) {
    const foreign = keepForeign(decode(bytes, encoding))
    if (foreign.length === 0 || !hasRuns(foreign)) continue
    const all = foreign.join('')
    if (countMatches(all, most) >= all.length * 0.9 && countMatches(all, some!) >= all.length * 0.15) return encoding
  }
  const text = decode(bytes, 'gb18030')
  const foreign = keepForeign(text)
  if (foreign.length === 0 || !hasRuns(foreign)) return undefined
  // The second byte of a character is above 0xA0 in common simplified Chinese, and often below in Big5.
  const low = countLowTrails(bytes)
  const encoding = low > 0.1 && decode(bytes, 'big5') !== undefined ? 'big5' : 'gb18030'
  const all = keepForeign(decode(bytes, encoding)).join('')
  return countMatches(all, new RegExp(`[${HAN}\u3000-\u301F\uFF00-\uFF5E\u2014-\u2026]`, 'gu')) >= all.length * 0.9
    ? encoding
    : undefined
}

function keepForeign(text = ''): string[] {
  return text.match(/[^\p{ASCII}]+/gu) ?? []
}

function hasRuns(foreign: readonly string[]): boolean {
  return foreign.reduce((sum, run) => sum + run.length, 0) / foreign.length >= 2
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function countLowTrails(bytes: Uint8Array): number {
  let [pairs, low] = [0, 0]
  for (let at = 0; at + 1 < bytes.length; at++) {
    if (bytes[at]! < 0x81) continue
    pairs += 1
    if (bytes[++at]! < 0xa1) low += 1
  }
  return pairs === 0 ? 0 : low / pairs
}

function guessSingleByte(bytes: Uint8Array): string {
  const isDense = measureDensity(bytes) > 0.5
  let best = { encoding: 'windows-1252', score: 0 }
  for (const [encoding, letters] of LETTERS) {
    const isLatin = encoding === 'windows-1252' || encoding === 'windows-1250' || encoding === 'windows-1254'
    if (isLatin === isDense) continue
    const score = rate(keepForeign(decode(bytes, encoding)).join(''), letters)
    if (score > best.score) best = { encoding, score }
  }
  return best.encoding
}

/** How many of the letters are no ASCII: few in Latin text, nearly all in others. */
function measureDensity(bytes: Uint8Array): number {
  const high = bytes.filter(byte => byte >= 0x80).length
  const letters = bytes.filter(byte => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)).length
  return high / Math.max(1, high + letters)
}

/** Common letters count more than rare ones, and what is no common letter counts against the encoding. */
function rate(text: string, letters: string): number {
  let score = 0
  for (const character of text) {
    const at = letters.indexOf(character)
    score += at < 0 ? -1 : 1 - at / (letters.length * 2)
  }
  return text === '' ? 0 : score / text.length
}

import { guessLatinCharset } from './latin.ts'

const SAMPLE_BYTES = 2 ** 18

/**
 * The likeliest charset of a text that is not UTF-8. What looks like no other alphabet is Latin: there, letters beyond
 * ASCII stand among others, while whole words consist of them elsewhere.
 */
export function guessLegacyCharset(bytes: Uint8Array): string {
  const first = bytes.findIndex(byte => byte >= 0x80)
  const sample = bytes.subarray(first, first + SAMPLE_BYTES)
  const known = findDecodable(bytes, [isShiftJis(sample) ? 'shift_jis' : undefined, guessAlphabet(sample)])
  if (known) return known
  return guessAmongPairs(bytes, sample, guessLatinCharset(bytes.subarray(0, SAMPLE_BYTES + Math.max(0, first))))
}

/** Few letters that stand together could be pairs of bytes too, but not by chance those of one language. */
function guessAmongPairs(bytes: Uint8Array, sample: Uint8Array, latin: { charset: string; isExact: boolean }): string {
  const pairs = latin.isExact ? undefined : guessPairs(sample)
  return findDecodable(bytes, [pairs, latin.charset]) ?? 'windows-1252'
}

function findDecodable(bytes: Uint8Array, charsets: readonly (string | undefined)[]): string | undefined {
  return charsets.find(charset => charset !== undefined && isDecodable(bytes, charset))
}

function isDecodable(bytes: Uint8Array, charset: string): boolean {
  try {
    new TextDecoder(charset, { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/**
 * Kana and common kanji begin with bytes that other charsets have hardly any letters for, and stand together, which marks
 * such as an apostrophe before a letter do not. Letters of Cyrillic would be halfwidth kana between them.
 */
function isShiftJis(bytes: Uint8Array): boolean {
  let [pairs, common, runs, halfwidth] = [0, 0, 0, 0]
  let end = -1
  for (let at = 0; at + 1 < bytes.length; at++) {
    const byte = bytes[at]!
    const isHalfwidth = byte >= 0xa0 && byte < 0xe0
    halfwidth += Number(isHalfwidth)
    if (byte < 0x81 || isHalfwidth) continue
    runs += Number(at !== end)
    pairs++
    at++
    common += Number(byte <= 0x98 && bytes[at]! >= 0x40)
    end = at + 1
  }
  return common >= 2 && common >= pairs * 0.6 && pairs >= runs * 1.5 && halfwidth <= pairs
}

/** The letters of a language, the commonest first. */
const ALPHABETS: readonly [charset: string, letters: string][] = [
  ['windows-1251', 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґўјљњђћџѓќѕ'],
  ['koi8-r', 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё'],
  ['ibm866', 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё'],
  ['x-mac-cyrillic', 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё'],
  ['windows-1253', 'αοιετσνηυρπκμλςάίέόήωύώδγχθφβξζψϊϋ'],
  ['windows-1255', 'יוהלאברתשמנםעדחקפטגכסזצןךףץ'],
  ['windows-874', 'านรกอเงมยลวดทสตบปคหแจพชขใไโผถณธศษซญ่้ีิั็ะาุู์ืึำๆ'],
  ['windows-1256', 'اليمنرتبةعدسفحهكقجأصشطخىإذغزضئءثؤظآ'],
]
/** Above this, the words of a text are not made of the letters of an alphabet. */
const HIGHEST_COST = 4.25
const LEAST_LETTERS = 4
/** So many letters tell what there is to be told. */
const MAX_RATED_BYTES = 20_000

function guessAlphabet(bytes: Uint8Array): string | undefined {
  const words = listForeignWords(bytes)?.subarray(0, MAX_RATED_BYTES)
  if (words === undefined || words.length < LEAST_LETTERS) return undefined
  let best: { charset: string | undefined; cost: number } = { charset: undefined, cost: HIGHEST_COST }
  for (const [charset, letters] of ALPHABETS) {
    const cost = rateWords(new TextDecoder(charset).decode(words), letters)
    if (cost < best.cost) best = { charset, cost }
  }
  return best.charset
}

const isAsciiLetter = (byte: number) => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a

/** The words in which all letters are beyond ASCII, with a space after each, unless others have as many such letters. */
function listForeignWords(bytes: Uint8Array): Uint8Array | undefined {
  const words: number[] = []
  let mixed = 0
  for (let at = 0; at < bytes.length; ) {
    const word = bytes.subarray(at, findWordEnd(bytes, at))
    const high = word.filter(byte => byte >= 0x80).length
    if (high === word.length && high > 1) words.push(...word, SPACE)
    else mixed += high
    at += word.length + 1
  }
  return mixed > words.length * 0.3 ? undefined : Uint8Array.from(words)
}

const SPACE = 0x20

function findWordEnd(bytes: Uint8Array, start: number): number {
  let end = start
  while (end < bytes.length && (bytes[end]! >= 0x80 || isAsciiLetter(bytes[end]!))) end++
  return end
}

/** How much rarer a letter is than the one before it in its alphabet, as a logarithm. */
const STEP = 0.1
const MISFIT_COST = 9

/** The cost of a letter on average, which grows with its rank. What is no letter of it, or a capital after small ones, costs most. */
function rateWords(text: string, letters: string): number {
  const first = Math.log([...letters].reduce((sum, _, at) => sum + Math.exp(-at * STEP), 0))
  let [cost, count] = [0, 0]
  let before = ' '
  for (const character of text) {
    const small = character.toLowerCase()
    if (character !== ' ') {
      const at = letters.indexOf(small)
      const isMisplaced = small !== character && before !== ' ' && before === before.toLowerCase()
      cost += at < 0 || isMisplaced ? MISFIT_COST : first + at * STEP
      count++
    }
    before = character
  }
  return count === 0 ? MISFIT_COST : cost / count
}

/** Of charsets whose characters are pairs of bytes, each has its common characters in another range. */
function guessPairs(bytes: Uint8Array): string | undefined {
  const { pairs, runs, low, kana, leads } = countPairs(bytes)
  if (pairs < 2 || pairs < runs * 1.6) return undefined
  const share = (from: number, to: number) => leads.slice(from, to + 1).reduce((sum, count) => sum + count, 0) / pairs
  if (low > pairs * 0.1) return share(0xa1, 0xc6) >= 0.85 ? 'big5' : undefined
  if (kana >= pairs * 0.1) return 'euc-jp'
  if (share(0xb0, 0xc8) + share(0xa1, 0xa3) >= 0.95 && isKorean(bytes)) return 'euc-kr'
  return share(0xb0, 0xd7) + share(0xa1, 0xa3) >= 0.75 ? 'gb18030' : undefined
}

const COMMON_SYLLABLES =
  '가간같개거것게겨경계고공과관교구국군그금기김까나날남내너네년노는니다단당대더데도동되된될두드든들등디때라람러로록론료류르른를리린마만많말매면명모무문물미민바박발방백번보본부북분비사산상새생서석선설성세소속수순술스습시식신실심아안았야약양어언업없었에여역연열영예오와외요용우운울원월위유육으은을음의이인일임입있자작장재저적전점정제조족종주준중지직진집차참천철청체초최추출치카타통트특파판편평포표품프하학한할합항해했행향현형호화활회후'

/** Chinese can have the same bytes, but only by chance those of common syllables. */
function isKorean(bytes: Uint8Array): boolean {
  const syllables = new TextDecoder('euc-kr').decode(bytes).match(/[\uAC00-\uD7A3]/g) ?? []
  return syllables.filter(syllable => COMMON_SYLLABLES.includes(syllable)).length >= syllables.length * 0.5
}

function countPairs(bytes: Uint8Array) {
  const leads = new Array<number>(256).fill(0)
  let [pairs, runs, low] = [0, 0, 0]
  let end = -1
  for (let at = 0; at + 1 < bytes.length; at++) {
    const lead = bytes[at]!
    if (lead < 0x81) continue
    leads[lead]!++
    pairs++
    if (at !== end) runs++
    if (bytes[++at]! < 0xa1) low++
    end = at + 1
  }
  return { pairs, runs, low, kana: leads[0xa4]! + leads[0xa5]!, leads }
}

import { ABJAD_MARK } from './abjads.ts'
import { spellSound } from './sound.ts'

/** What it costs to take one letter for another, of those that spellings mix up. */
const NEAR: ReadonlyMap<string, number> = new Map(
  (
    [
      ['ou', 0.25],
      ...spread('uv ij', 0.3),
      ...spread('ei', 0.25),
      ...spread('ae', 0.35),
      ...spread('ai ao eo uo ui iu au', 0.55),
      ...spread('kg bp dt vb fv hk sz rl', 0.35),
      ...spread('SZ jZ jg ji CZ Cc CS cs cz Ss Zz jC hg', 0.35),
      ...spread('mn ck Ck Cj', 0.5),
    ] as [string, number][]
  ).flatMap(([pair, cost]) => [
    [pair, cost],
    [pair[1]! + pair[0]!, cost],
  ]),
)
/** The costs by the codes of both letters. */
const CODES = 128
const NEAR_BY_CODE = new Float64Array(CODES * CODES).fill(Number.NaN)
for (const [pair, cost] of NEAR) NEAR_BY_CODE[pair.charCodeAt(0) * CODES + pair.charCodeAt(1)] = cost
const VOWELS = new Uint8Array(CODES)
for (const vowel of 'aeiou') VOWELS[vowel.charCodeAt(0)] = 1
const LETTER_H = 'h'.charCodeAt(0)
const OTHER_VOWEL = 0.7
const EXTRA_VOWEL = 0.55
const UNWRITTEN_VOWEL = 0.12
/** A vowel that stands for one of a script that writes few. */
const UNSURE_VOWEL = 0.2
const NEAR_SOUND = 0.35
const EXTRA_H = 0.35
const SWAPPED = 0.8
/** Typing errors at the start of a word are rare. */
const FIRST_LETTER = 1.4
/** Words that sound the same, and are spelt differently. */
const SPELT_DIFFERENTLY = 0.98

function spread(pairs: string, cost: number): [string, number][] {
  return pairs.split(' ').map(pair => [pair, cost])
}

/** A word with what a comparison needs to know of it, which is found once for all comparisons. */
export interface SpeltWord {
  text: string
  sound: string
  /** Its vowels are guesses, because its script does not write them. */
  hasUnwritten: boolean
  /** Whether it is one of letters that are read here; others are the same or not. */
  isSpelt: boolean
}

/** Words come again and again: those of a query with every entry, and common ones with every query. */
const known = new Map<string, SpeltWord>()
const MAX_KNOWN = 20_000

export function spellWord(text: string): SpeltWord {
  const before = known.get(text)
  if (before) return before
  const word = { text, sound: spellSound(text), hasUnwritten: text.startsWith(ABJAD_MARK), isSpelt: isSpelt(text) }
  if (known.size === MAX_KNOWN) known.clear()
  known.set(text, word)
  return word
}

/**
 * How alike two words of names are, from 0 to 1; 0 if that is less than `least`. A search compares some hundred thousand pairs, of
 * which nearly all are unlike, and most of these after two or three letters.
 */
export function compareWords(one: SpeltWord, other: SpeltWord, least: number): number {
  if (one.text === other.text) return 1
  if (!one.isSpelt || !other.isSpelt) return 0
  if (one.sound === other.sound) return SPELT_DIFFERENTLY
  const hasUnwritten = one.hasUnwritten || other.hasUnwritten
  const length = Math.max(one.sound.length, other.sound.length) + (hasUnwritten ? 0 : 0.5)
  const most = (1 - least / SPELT_DIFFERENTLY) * length
  const likeness = (1 - measureCost(one.sound, other.sound, hasUnwritten, most + ROUNDING) / length) * SPELT_DIFFERENTLY
  return likeness < least ? 0 : Math.max(0, likeness)
}

/** Numbers, and letters that are not read here, are the same or not. */
function isSpelt(word: string): boolean {
  const start = word.charCodeAt(0)
  return (start >= 97 && start <= 122) || start === 126
}

const WIDTH = 32
const ROUNDING = 1e-9
const table = new Float64Array(WIDTH * WIDTH)
const extras = new Float64Array(WIDTH)

/**
 * The least that it costs to turn one word into the other: letters added, removed, replaced or swapped. Infinity as soon as it
 * must be more than `most`.
 */
function measureCost(one: string, other: string, hasUnwritten: boolean, most: number): number {
  const extraVowel = hasUnwritten ? UNWRITTEN_VOWEL : EXTRA_VOWEL
  const rows = Math.min(one.length, WIDTH - 1)
  const columns = Math.min(other.length, WIDTH - 1)
  if (Math.abs(rows - columns) * Math.min(extraVowel, EXTRA_H) > most) return Number.POSITIVE_INFINITY
  table[0] = 0
  for (let column = 1; column <= columns; column++) {
    extras[column] = costOfExtra(other, column - 1, extraVowel)
    table[column] = table[column - 1]! + extras[column]!
  }
  let leastBefore = 0
  for (let row = 1; row <= rows; row++) {
    const least = fillRow(row, columns, one, other, hasUnwritten)
    // What comes later goes on from this row, or by a swap from the one before.
    if (least > most && leastBefore + SWAPPED > most) return Number.POSITIVE_INFINITY
    leastBefore = least
  }
  return table[rows * WIDTH + columns]!
}

/** The costs of the first letters of one word, and so many of the other. Returns the least of them. */
function fillRow(row: number, columns: number, one: string, other: string, hasUnwritten: boolean): number {
  const extra = costOfExtra(one, row - 1, hasUnwritten ? UNWRITTEN_VOWEL : EXTRA_VOWEL)
  const start = row * WIDTH
  let left = table[start - WIDTH]! + extra
  let leastOfRow = left
  table[start] = left
  for (let column = 1; column <= columns; column++) {
    const at = start + column
    const removed = table[at - WIDTH]! + extra
    const added = left + extras[column]!
    const replaced = table[at - WIDTH - 1]! + costOfOther(one, row - 1, other, column - 1, hasUnwritten)
    let least = Math.min(removed, added, replaced)
    if (isSwap(one, row, other, column)) least = Math.min(least, table[at - 2 * WIDTH - 2]! + SWAPPED)
    table[at] = least
    left = least
    if (least < leastOfRow) leastOfRow = least
  }
  return leastOfRow
}

function isSwap(one: string, row: number, other: string, column: number): boolean {
  return (
    row > 1 &&
    column > 1 &&
    one.charCodeAt(row - 1) === other.charCodeAt(column - 2) &&
    one.charCodeAt(row - 2) === other.charCodeAt(column - 1)
  )
}

function costOfExtra(word: string, at: number, extraVowel: number): number {
  const letter = word.charCodeAt(at)
  if (VOWELS[letter]) return at === 0 ? Math.max(extraVowel, 0.4) : extraVowel
  const cost = letter === LETTER_H ? EXTRA_H : 1
  return at === 0 ? cost * FIRST_LETTER : cost
}

function costOfOther(one: string, row: number, other: string, column: number, hasUnwritten: boolean): number {
  const [first, second] = [one.charCodeAt(row), other.charCodeAt(column)]
  if (first === second) return 0
  const near = first < CODES && second < CODES ? NEAR_BY_CODE[first * CODES + second]! : Number.NaN
  const isNear = !Number.isNaN(near)
  if (VOWELS[first] && VOWELS[second]) {
    const cost = isNear ? near : OTHER_VOWEL
    return hasUnwritten ? Math.min(cost, UNSURE_VOWEL) : cost
  }
  if (isNear) return near
  return row === 0 && column === 0 ? FIRST_LETTER : 1
}

/** Whether two words may begin with the same sound, as far as a letter tells. */
export function beginAlike(letter: string, word: string): boolean {
  const [one, other] = [letter, word.replace(ABJAD_MARK, '')]
  if (one === other[0]) return true
  const [first, second] = [spellSound(one)[0]!, spellSound(other)[0] ?? '']
  return first === second || (NEAR.get(first + second) ?? 1) <= NEAR_SOUND
}

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
/** The costs by the codes of both letters, because a search compares some hundred thousand pairs. */
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

/** What pairs of words have come to, because the words of candidates are much the same from one candidate to the next. */
const compared = new Map<string, number>()
const MAX_COMPARED = 50_000

/** How alike two words of names are, from 0 to 1. */
export function compareWords(one: string, other: string): number {
  if (one === other) return 1
  const pair = `${one} ${other}`
  const known = compared.get(pair)
  if (known !== undefined) return known
  const likeness = measureLikeness(one, other)
  if (compared.size >= MAX_COMPARED) compared.clear()
  compared.set(pair, likeness)
  return likeness
}

function measureLikeness(one: string, other: string): number {
  if (!isSpelt(one) || !isSpelt(other)) return 0
  const hasUnwritten = one.startsWith(ABJAD_MARK) || other.startsWith(ABJAD_MARK)
  const [first, second] = [spellSound(one), spellSound(other)]
  if (first === second) return SPELT_DIFFERENTLY
  const cost = measureCost(first, second, hasUnwritten)
  const length = Math.max(first.length, second.length) + (hasUnwritten ? 0 : 0.5)
  return Math.max(0, 1 - cost / length) * SPELT_DIFFERENTLY
}

/** Numbers, and letters that are not read here, are the same or not. */
function isSpelt(word: string): boolean {
  const start = word.charCodeAt(0)
  return (start >= 97 && start <= 122) || start === 126
}

const WIDTH = 32
const table = new Float64Array(WIDTH * WIDTH)

/** The least that it costs to turn one word into the other: letters added, removed, replaced or swapped. */
function measureCost(one: string, other: string, hasUnwritten: boolean): number {
  const extraVowel = hasUnwritten ? UNWRITTEN_VOWEL : EXTRA_VOWEL
  const rows = Math.min(one.length, WIDTH - 1)
  const columns = Math.min(other.length, WIDTH - 1)
  table[0] = 0
  for (let row = 1; row <= rows; row++)
    table[row * WIDTH] = table[(row - 1) * WIDTH]! + costOfExtra(one, row - 1, extraVowel)
  for (let column = 1; column <= columns; column++)
    table[column] = table[column - 1]! + costOfExtra(other, column - 1, extraVowel)
  for (let row = 1; row <= rows; row++) {
    for (let column = 1; column <= columns; column++) {
      const at = row * WIDTH + column
      const removed = table[at - WIDTH]! + costOfExtra(one, row - 1, extraVowel)
      const added = table[at - 1]! + costOfExtra(other, column - 1, extraVowel)
      const replaced = table[at - WIDTH - 1]! + costOfOther(one, row - 1, other, column - 1, hasUnwritten)
      let least = Math.min(removed, added, replaced)
      if (isSwap(one, row, other, column)) least = Math.min(least, table[at - 2 * WIDTH - 2]! + SWAPPED)
      table[at] = least
    }
  }
  return table[rows * WIDTH + columns]!
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

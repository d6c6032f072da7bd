import type { Edit } from './edit.ts'
import { maskProtected } from './mask.ts'

const WORD = /(?<![\p{L}\p{N}\p{M}'’._-])\p{L}[\p{L}\p{M}]*(?:['’]\p{L}+)*(?![\p{L}\p{N}\p{M}'’_-])/gu
const MAX_LENGTH = 50
/** Texts with more unknown words are in another language than that of the dictionary, or no prose. */
const MAX_SHARE = 0.4
/** So few words say nothing about a text. */
const MIN_WORDS = 20
const SHOWN_SUGGESTIONS = 3

interface FoundWord {
  word: string
  start: number
}

/** The words of a text that a dictionary should have. Names, abbreviations and code are left out. */
export function findWords(text: string, language: string | undefined): FoundWord[] {
  const masked = maskProtected(text)
  // Nouns have capital letters in German.
  const hasCapitals = language === 'de'
  return [...masked.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    if (word.length < 2 || word.length > MAX_LENGTH || word.slice(1) !== word.slice(1).toLowerCase()) return []
    const isCapital = word[0] !== word[0]!.toLowerCase()
    if (isCapital && !hasCapitals && !isSentenceStart(masked, index)) return []
    return [{ word: word.replaceAll('’', "'"), start: index }]
  })
}

function isSentenceStart(text: string, at: number): boolean {
  return /(?:^|[.!?:]["'”’)]*\s|\n)["'“‘(¿¡]*$/.test(text.slice(Math.max(0, at - 12), at))
}

/**
 * A fault for each word that the dictionary does not have. It is replaced where exactly one word is near it; undefined if the
 * text is none of this language.
 */
export function describeUnknown(
  words: readonly FoundWord[],
  suggestions: ReadonlyMap<string, readonly string[]>,
): Edit[] | undefined {
  const distinct = new Set(words.map(({ word }) => word)).size
  if (distinct >= MIN_WORDS && suggestions.size > distinct * MAX_SHARE) return undefined
  return words.flatMap(({ word, start }) => {
    const known = suggestions.get(word)
    if (!known) return []
    const replacement = chooseNearest(word, known)
    const listed = known.slice(0, SHOWN_SUGGESTIONS).join(', ')
    const message =
      replacement === null
        ? `“${word}” is not in the dictionary.${listed && ` Perhaps: ${listed}.`}`
        : `“${replacement}” is meant.`
    return [{ start, end: start + word.length, original: word, replacement, rule: 'dictionary', message }]
  })
}

/** A word with a capital letter may be a name that no dictionary has. */
function chooseNearest(word: string, suggestions: readonly string[]): string | null {
  if (word[0] !== word[0]!.toLowerCase()) return null
  const reach = word.length >= 8 ? 2 : 1
  const near = suggestions
    .map(suggestion => ({ suggestion, distance: measureDistance(word, suggestion) }))
    .sort((one, other) => one.distance - other.distance)
  const [first, second] = near
  if (!first || first.distance > reach || second?.distance === first.distance) return null
  return first.suggestion
}

/** How many letters are added, left out, changed, or swapped with their neighbour. */
function measureDistance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= one.length; row++) {
    const [above, current] = [rows[row - 1]!, [row]]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current[column] = Math.min(
        above[column]! + 1,
        current[column - 1]! + 1,
        above[column - 1]! + (isSame ? 0 : 1),
        isSwapped ? rows[row - 2]![column - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
    rows.push(current)
  }
  return rows.at(-1)!.at(-1)!
}

import { ARABIC, HEBREW } from './alphabets.ts'

/** Marks a word whose short vowels are not written, so that a comparison does not miss them. */
export const ABJAD_MARK = '~'

const WAW = new Set(['و', 'ו', 'ۇ', 'ۋ'])
const YA = new Set(['ي', 'ی', 'י'])
const VOWEL = /[aeiou]$/

/** A word of Arabic or Hebrew letters in Latin ones. The article is a word of its own. */
export function romaniseAbjad(word: string): string[] {
  const article = /^(ال)(?=.{2})/u.exec(word)
  const stem = article ? word.slice(2) : word
  const latin = ABJAD_MARK + romaniseStem(stem)
  return article ? ['al', latin] : [latin]
}

function romaniseStem(stem: string): string {
  const letters = [...stem.normalize('NFC')]
  let latin = ''
  letters.forEach((letter, index) => {
    if (WAW.has(letter)) latin += readSemivowel(letters, index, letter === 'ו' ? 'v' : 'w', 'u')
    else if (YA.has(letter)) latin += readSemivowel(letters, index, 'y', 'i')
    else latin += readConsonant(letters, index)
  })
  return latin.replace(/[^a-z]/g, '')
}

/** A consonant at the start and beside a written vowel, a long vowel elsewhere. */
function readSemivowel(letters: readonly string[], index: number, consonant: string, vowel: string): string {
  const next = letters[index + 1]
  const isConsonant = index === 0 || next === 'ا' || next === 'א' || next === 'ة'
  return isConsonant ? consonant : vowel
}

function readConsonant(letters: readonly string[], index: number): string {
  const letter = letters[index]!
  const latin = ARABIC.get(letter) ?? HEBREW.get(letter) ?? ''
  const isFirst = index === 0
  // Ayin and aleph carry a vowel; within a word they are mostly not written in Latin letters.
  if (letter === 'ע' || letter === 'ع') return isFirst ? 'a' : ''
  if (letter === 'א') return isFirst || VOWEL.test(latin) ? 'a' : ''
  if (letter === 'ה' && index === letters.length - 1) return 'a'
  return latin
}

import type { TextLine, TextWord } from '../../../../tasks/formats/pdf/text-layout.ts'

export interface PageCharacter {
  /** One UTF-16 code unit. */
  unit: string
  word?: TextWord
  /** Index of its first and its last character in the word. */
  index: number
  last: number
}

/** A text to search, and for each of its units the index of the character of the page. */
interface Reading {
  text: string
  places: readonly number[]
}

const LETTERS = /.\p{M}*/gsu

/** The characters of a page in reading order, each with its word. Ligatures are split, and accents joined to letters. */
export function readCharacters(lines: readonly TextLine[]): PageCharacter[] {
  return lines.flatMap(line =>
    line.words.flatMap((word, wordIndex): PageCharacter[] => {
      let next = 0
      const characters = (word.text.match(LETTERS) ?? []).flatMap(letter => {
        const index = next
        next += [...letter].length
        const units = letter.normalize('NFKC').split('')
        return units.map(unit => ({ unit, word, index, last: next - 1 }))
      })
      const end = wordIndex === line.words.length - 1 ? '\n' : ' '
      return [...characters, { unit: end, index: 0, last: 0 }]
    }),
  )
}

const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/
const HYPHEN = /[-\u2010]/
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** The text as it stands, and with the words whole that the ends of lines part. */
export function listReadings(characters: readonly PageCharacter[]): Reading[] {
  const visible = [...characters.keys()].filter(place => !INVISIBLE.test(characters[place]!.unit))
  const unitAt = (index: number) => characters[visible[index]!]?.unit ?? ''
  const endsLine = (index: number, before: RegExp) => unitAt(index) === '\n' && before.test(unitAt(index - 1))
  const isJoined = (index: number) =>
    endsLine(index, HYPHEN) || (endsLine(index, UNSPACED) && UNSPACED.test(unitAt(index + 1)))
  const isDropped = (index: number) => isJoined(index) || (HYPHEN.test(unitAt(index)) && unitAt(index + 1) === '\n')
  const readings = [
    visible,
    visible.filter((_, index) => !isJoined(index)),
    visible.filter((_, index) => !isDropped(index)),
  ]
  return readings
    .filter(({ length }, index) => index === 0 || length < visible.length)
    .map(places => ({ text: places.map(place => characters[place]!.unit).join(''), places }))
}

import type { Rect } from '../../../formats/geometry/rect.ts'
import type { TextLine, TextPage, TextWord } from '../../../formats/pdf/text-layout.ts'
import { isRightToLeft } from '../../../formats/words/direction.ts'
import type { PageGeometry } from '../document.ts'

/** A text that was found on a page, with its box in points from the top left corner of the page as displayed. */
export interface FoundText {
  page: number
  text: string
  box: Rect
}

/** A document with its text. */
export interface SearchedDocument {
  path: string
  geometries: PageGeometry[]
  /** Which file, from 0. */
  file: number
  pages: TextPage[]
}

interface Character {
  unit: string
  word?: TextWord
  index: number
}

/** Marks of direction and letters that only lengthen others, which some programs leave out. */
const UNSEEN = /[\u0640\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/

/** A text as texts are compared: ligatures and the forms of Arabic letters are the letters themselves. */
export function toPlainText(text: string): string {
  return text.normalize('NFKC').replaceAll(new RegExp(UNSEEN, 'g'), '')
}

/** Finds an expression in a line. Poppler gives boxes of words; that of a part of one is divided evenly. */
export function findInLine(line: TextLine, expression: RegExp): { text: string; box: Rect }[] {
  const characters = line.words.flatMap((word, index): Character[] => [
    ...(index > 0 && areApart(line.words[index - 1]!, word) ? [{ unit: ' ', index: 0 }] : []),
    ...word.text.split('').flatMap((unit, at) => {
      const plain = toPlainText(unit).split('')
      return plain.map(one => ({ unit: one, word, index: at }))
    }),
  ])
  const text = characters.map(({ unit }) => unit).join('')
  return [...text.matchAll(expression)].flatMap(match => {
    const part = characters.slice(match.index, match.index + match[0].length)
    const boxes = listBoxes(part)
    return boxes.length > 0 ? [{ text: match[0], box: joinBoxes(boxes) }] : []
  })
}

/** A share of the height of a line: what is nearer was written without a space, such as a colon behind a Hebrew word. */
const SPACE = 0.08

function areApart({ box: one }: TextWord, { box: other }: TextWord): boolean {
  const distance = Math.max(other[0] - one[2], one[0] - other[2])
  return distance > SPACE * (other[3] - other[1])
}

function listBoxes(characters: readonly Character[]): Rect[] {
  const spans = new Map<TextWord, [first: number, last: number]>()
  for (const { word, index } of characters) {
    if (!word) continue
    const span = spans.get(word)
    spans.set(word, [Math.min(span?.[0] ?? index, index), Math.max(span?.[1] ?? index, index)])
  }
  return [...spans].map(([word, [first, last]]) => cutBox(word, first, last))
}

function cutBox({ text, box }: TextWord, first: number, last: number): Rect {
  const [left, top, right, bottom] = box
  const share = (count: number) => (right - left) * (count / text.length)
  return isRightToLeft(text)
    ? [right - share(last + 1), top, right - share(first), bottom]
    : [left + share(first), top, left + share(last + 1), bottom]
}

function joinBoxes(boxes: readonly Rect[]): Rect {
  return [
    Math.min(...boxes.map(([left]) => left)),
    Math.min(...boxes.map(([, top]) => top)),
    Math.max(...boxes.map(([, , right]) => right)),
    Math.max(...boxes.map(([, , , bottom]) => bottom)),
  ]
}

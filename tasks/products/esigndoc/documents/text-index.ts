import type { Rect } from '../../../formats/geometry/rect.ts'
import type { TextLine, TextPage, TextWord } from '../../../formats/pdf/text-layout.ts'
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

/** Finds an expression in a line. Poppler gives boxes of words; that of a part of one is divided evenly. */
export function findInLine(line: TextLine, expression: RegExp): { text: string; box: Rect }[] {
  const characters = line.words.flatMap((word, index): Character[] => [
    ...(index > 0 ? [{ unit: ' ', index: 0 }] : []),
    ...word.text.split('').map((unit, at) => ({ unit, word, index: at })),
  ])
  const text = characters.map(({ unit }) => unit).join('')
  return [...text.matchAll(expression)].flatMap(match => {
    const part = characters.slice(match.index, match.index + match[0].length)
    const boxes = listBoxes(part)
    return boxes.length > 0 ? [{ text: match[0], box: joinBoxes(boxes) }] : []
  })
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
  return RIGHT_TO_LEFT.test(text)
    ? [right - share(last + 1), top, right - share(first), bottom]
    : [left + share(first), top, left + share(last + 1), bottom]
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

export function isRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text)
}

function joinBoxes(boxes: readonly Rect[]): Rect {
  return [
    Math.min(...boxes.map(([left]) => left)),
    Math.min(...boxes.map(([, top]) => top)),
    Math.max(...boxes.map(([, , right]) => right)),
    Math.max(...boxes.map(([, , , bottom]) => bottom)),
  ]
}

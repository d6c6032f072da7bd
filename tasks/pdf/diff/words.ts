import type { Rect } from '../../formats/geometry/rect.ts'
import { cleanText } from '../../formats/pdf/plain-text.ts'
import type { TextLine, TextPage } from '../../formats/pdf/text-layout.ts'

export interface Word {
  text: string
  /** Equal for words that count as equal. */
  key: string
  /** The position of its page among those that are compared, from 0. */
  page: number
  box: Rect
  endsLine: boolean
}

export interface Ignored {
  whitespace: boolean
  case: boolean
}

/** All words of the pages, in reading order. If white space counts, the ends of lines are words too. */
export function listWords(pages: readonly TextPage[], skipped: ReadonlySet<TextLine>, ignored: Ignored): Word[] {
  return pages.flatMap(({ lines }, page) =>
    lines.flatMap(line => (skipped.has(line) ? [] : listLineWords(line, page, ignored))),
  )
}

function listLineWords({ words, box }: TextLine, page: number, ignored: Ignored): Word[] {
  const listed = words.flatMap((word, index): Word[] => {
    const text = cleanText(word.text, false).replaceAll('\u00ad', '').normalize('NFC')
    if (text === '') return []
    const key = ignored.case ? text.toLowerCase() : text
    return [{ text, key, page, box: word.box, endsLine: index === words.length - 1 }]
  })
  if (ignored.whitespace || listed.length === 0) return listed
  return [...listed, { text: '\n', key: '\n', page, box: [box[2], box[1], box[2], box[3]], endsLine: true }]
}

export function joinWords(words: readonly Word[]): string {
  return words
    .map(({ text }) => text)
    .join(' ')
    .replaceAll(/ ?\n ?/g, '\n')
}

const HYPHEN = /[-\u2010]$/

/** Whether two runs of words differ only in how they are divided: by spaces, or by a hyphen at the end of a line. */
export function areDividedOtherwise(left: readonly Word[], right: readonly Word[]): boolean {
  const others = new Set(joinWithoutSpaces(right))
  return left.length > 0 && right.length > 0 && joinWithoutSpaces(left).some(text => others.has(text))
}

function joinWithoutSpaces(words: readonly Word[]): string[] {
  const kept = words.map(({ key }) => key).join('')
  const joined = words.map(({ key, endsLine }) => (endsLine ? key.replace(HYPHEN, '') : key)).join('')
  return [kept, joined]
}

/** One box for each stretch of words on one line. */
export function boxLines(words: readonly Word[]): Rect[] {
  const boxes: Rect[] = []
  let isNewLine = true
  for (const { box, endsLine } of words) {
    if (isNewLine) boxes.push(box)
    else boxes.push(uniteBoxes([boxes.pop()!, box]))
    isNewLine = endsLine
  }
  return boxes
}

export function uniteBoxes(boxes: readonly Rect[]): Rect {
  const sides = [0, 1, 2, 3].map(side => boxes.map(box => box[side]!))
  const least = (values: number[]) => values.reduce((one, other) => Math.min(one, other))
  const most = (values: number[]) => values.reduce((one, other) => Math.max(one, other))
  return [least(sides[0]!), least(sides[1]!), most(sides[2]!), most(sides[3]!)]
}

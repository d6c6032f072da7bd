import type { RE2JS } from 're2js'
import type { Rect } from '../../../../tasks/formats/geometry/rect.ts'
import type { PageRegion } from '../../../../tasks/formats/pdf/document.ts'
import type { TextPage, TextWord } from '../../../../tasks/formats/pdf/text-layout.ts'
import { compilePattern } from '../../regex.ts'
import { boundingBox } from './boxes.ts'
import { listReadings, type PageCharacter, readCharacters } from './characters.ts'

export interface SearchTerms {
  texts: readonly string[]
  patterns: readonly string[]
  caseSensitive: boolean
  wholeWords: boolean
}

export interface SearchOptions extends SearchTerms {
  /** Whether a match covers the whole of the words that it is part of. */
  coversWords: boolean
}

/** Compiles the search terms to expressions that run in time linear to the text. */
export function compileTerms({ texts, patterns, caseSensitive, wholeWords }: SearchTerms): RE2JS[] {
  const flags = caseSensitive ? '' : 'i'
  const literals = texts.map(text => {
    const pattern = text
      .trim()
      .normalize('NFKC')
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/\s+/g, '\\s+')
      .replaceAll(/[-\u2010]/g, '[-\u2010]')
      .replaceAll(/['\u2019]/g, "['\u2019]")
    const boundary = (character: string) => (wholeWords && /[\p{L}\p{N}]/u.test(character) ? '\\b' : '')
    return `${boundary(pattern.at(0) ?? '')}${pattern}${boundary(pattern.at(-1) ?? '')}`
  })
  return [...literals, ...patterns].map(pattern => compilePattern({ pattern, flags }))
}

/** Finds the areas of the pages that the search terms cover. */
export function findMatches(
  pages: readonly { page: number; textPage: TextPage }[],
  options: SearchOptions,
): PageRegion[] {
  const expressions = compileTerms(options)
  return pages.flatMap(({ page, textPage: { lines } }) => {
    const coversWords = options.coversWords || lines.some(isUpsideDown)
    const boxes = listOrders(lines).flatMap(order => {
      const characters = readCharacters(order)
      const readings = listReadings(characters)
      return expressions
        .flatMap(expression => dropInner(readings.flatMap(({ text, places }) => findSpans(expression, text, places))))
        .flatMap(([start, end]) => boxesOfCharacters(characters.slice(start, end), coversWords))
    })
    // What stands in one line is found in each order.
    return [...new Map(boxes.map(box => [box.join(), box])).values()].map(box => ({ page, box }))
  })
}

/** Of a page that lies on its side, poppler may give the lines from the last to the first. */
function listOrders(lines: TextPage['lines']): TextPage['lines'][] {
  const isSideways = lines.some(
    ({ text, box: [left, top, right, bottom] }) => [...text].length >= 3 && bottom - top > right - left,
  )
  return isSideways ? [lines, lines.toReversed()] : [lines]
}

const MAX_MATCHES = 20_000

/** The first place of each match, and the one after its last. */
function findSpans(expression: RE2JS, text: string, places: readonly number[]): [number, number][] {
  const matcher = expression.matcher(text)
  const spans: [number, number][] = []
  while (matcher.find() && spans.length < MAX_MATCHES)
    if (matcher.end() > matcher.start()) spans.push([places[matcher.start()]!, places[matcher.end() - 1]! + 1])
  return spans
}

/** Spans of the page that lie in none of the others. */
function dropInner(spans: readonly [number, number][]): [number, number][] {
  let covered = 0
  const inOrder = spans.toSorted(([start, end], [other, otherEnd]) => start - other || otherEnd - end)
  return inOrder.filter(([, end]) => {
    const isOuter = end > covered
    covered = Math.max(covered, end)
    return isOuter
  })
}

/** One box per line of the match, limited to the matched parts of its first and last words. */
function boxesOfCharacters(characters: readonly PageCharacter[], coversWords: boolean): Rect[] {
  const boxes: Rect[] = []
  let words = new Map<TextWord, [first: number, last: number]>()
  const endLine = () => {
    const boxOf = (word: TextWord, first: number, last: number) =>
      coversWords ? boxOfWord(word) : boxOfCharacters(word, first, last)
    boxes.push(...joinRow([...words].map(([word, [first, last]]) => boxOf(word, first, last))))
    words = new Map()
  }
  for (const { word, unit, index, last } of characters) {
    if (!word && unit === '\n') endLine()
    if (!word) continue
    const span = words.get(word)
    words.set(word, [Math.min(span?.[0] ?? index, index), Math.max(span?.[1] ?? last, last)])
  }
  endLine()
  return boxes
}

/** Joins the boxes of one line. Those of a slanted line stay apart: around all of it, a box would cover other text. */
function joinRow(boxes: readonly Rect[]): Rect[] {
  const isStraight = [0, 1].some(axis => boxes.every(box => sharesSpan(boxes[0]!, box, axis)))
  if (boxes.length < 2 || !isStraight) return [...boxes]
  return [boundingBox(boxes.flatMap(([left, top, right, bottom]) => [[left, top] as const, [right, bottom] as const]))]
}

const MIN_SHARED_SPAN = 0.6

/** Whether two boxes lie at about the same height, or at the same distance from the left for axis 0. */
function sharesSpan(one: Rect, other: Rect, axis: number): boolean {
  const shared = Math.min(one[axis + 2]!, other[axis + 2]!) - Math.max(one[axis]!, other[axis]!)
  return shared >= MIN_SHARED_SPAN * Math.min(one[axis + 2]! - one[axis]!, other[axis + 2]! - other[axis]!)
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
const MARGIN = 0.5

function boxOfWord({ box: [left, top, right, bottom] }: TextWord): Rect {
  return [left - MARGIN, top, right + MARGIN, bottom]
}

/** Whether the words of a line follow each other to the left, so that the first characters of each are at its right. */
function isUpsideDown({ words }: TextPage['lines'][number]): boolean {
  return words.some((word, index) => {
    const next = words[index + 1]
    return next !== undefined && next.box[2] <= word.box[0] && sharesSpan(word.box, next.box, 1)
  })
}

/** Poppler gives boxes of whole words. The box of a part is estimated from typical character widths. */
function boxOfCharacters({ text, box }: TextWord, first: number, last: number): Rect {
  const characters = [...text]
  const [left, top, right, bottom] = box
  const isWhole = first === 0 && last === characters.length - 1
  const isHorizontal = right - left >= (bottom - top) * 0.4 * Math.min(2, characters.length)
  if (isWhole || !isHorizontal || RIGHT_TO_LEFT.test(text)) return boxOfWord({ text, box })
  const widths = characters.map(estimateWidth)
  const totalWidth = widths.reduce((sum, width) => sum + width, 0)
  const shareBefore = (count: number) => widths.slice(0, count).reduce((sum, width) => sum + width, 0) / totalWidth
  return [left + (right - left) * shareBefore(first), top, left + (right - left) * shareBefore(last + 1), bottom]
}

function estimateWidth(character: string): number {
  if (/[ijl|.,:;'!I()[\]-]/.test(character)) return 0.28
  if (/[mwMW@%]/.test(character)) return 0.86
  if (/[ftr]/.test(character)) return 0.33
  if (/[\p{Lu}]/u.test(character)) return 0.68
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(character) ? 1 : 0.55
}

import type { RE2JS } from 're2js'
import type { LaidLine, LaidPage, LaidWord } from './poppler-boxes.ts'
import type { Box } from './redact-boxes.ts'
import { compiled } from './regex.ts'

export interface Needles {
  texts: readonly string[]
  patterns: readonly string[]
  caseSensitive: boolean
  wholeWords: boolean
}

export interface FoundPlace {
  page: number
  box: Box
}

/** The expressions that find what is to go, in time linear to the text. */
export function expressionsOf({ texts, patterns, caseSensitive, wholeWords }: Needles): RE2JS[] {
  const flags = caseSensitive ? '' : 'i'
  const literal = texts.map(text => {
    const plain = text
      .trim()
      .normalize('NFKC')
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/\s+/g, '\\s+')
    const edge = (side: string) => (wholeWords && /[\p{L}\p{N}]/u.test(side) ? '\\b' : '')
    return `${edge(plain.at(0) ?? '')}${plain}${edge(plain.at(-1) ?? '')}`
  })
  return [...literal, ...patterns].map(pattern => compiled({ pattern, flags }))
}

/** Where on the pages the words stand that are to go. */
export function places(pages: readonly { page: number; laid: LaidPage }[], needles: Needles): FoundPlace[] {
  const expressions = expressionsOf(needles)
  return pages.flatMap(({ page, laid }) => {
    const letters = lettersOf(laid.lines)
    const text = letters.map(({ sign }) => sign).join('')
    const found = expressions.flatMap(expression => spansIn(expression, text))
    return found.flatMap(([start, end]) => boxesOf(letters.slice(start, end))).map(box => ({ page, box }))
  })
}

const MOST_FOUND = 20_000

function spansIn(expression: RE2JS, text: string): [number, number][] {
  const matcher = expression.matcher(text)
  const spans: [number, number][] = []
  while (matcher.find() && spans.length < MOST_FOUND)
    if (matcher.end() > matcher.start()) spans.push([matcher.start(), matcher.end()])
  return spans
}

interface Letter {
  /** One unit of UTF-16. */
  sign: string
  word?: LaidWord
  /** Its place in the word. */
  index: number
}

/** The text of a page in reading order, each letter with the word it belongs to; ligatures are taken apart. */
function lettersOf(lines: readonly LaidLine[]): Letter[] {
  return lines.flatMap(line =>
    line.words.flatMap((word, at): Letter[] => {
      const own = [...word.text].flatMap((sign, index) =>
        sign
          .normalize('NFKC')
          .split('')
          .map(part => ({ sign: part, word, index })),
      )
      return [...own, { sign: at === line.words.length - 1 ? '\n' : ' ', index: 0 }]
    }),
  )
}

/** One box a word; of a word of which only a part is meant, that part. */
function boxesOf(letters: readonly Letter[]): Box[] {
  const words = new Map<LaidWord, [first: number, last: number]>()
  for (const { word, index } of letters) {
    if (!word) continue
    const span = words.get(word)
    words.set(word, [Math.min(span?.[0] ?? index, index), Math.max(span?.[1] ?? index, index)])
  }
  return [...words].map(([word, [first, last]]) => partOf(word, first, last))
}

const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
const SLACK = 0.5

/** Letters have no places of their own: they are reckoned from their usual widths where they run from left to right. */
function partOf({ text, box }: LaidWord, first: number, last: number): Box {
  const signs = [...text]
  const [left, top, right, bottom] = box
  const isWhole = first === 0 && last === signs.length - 1
  const isAcross = right - left >= (bottom - top) * 0.4 * Math.min(2, signs.length)
  if (isWhole || !isAcross || FROM_RIGHT.test(text)) return [left - SLACK, top, right + SLACK, bottom]
  const widths = signs.map(usualWidth)
  const whole = widths.reduce((sum, width) => sum + width, 0)
  const upTo = (count: number) => widths.slice(0, count).reduce((sum, width) => sum + width, 0) / whole
  return [left + (right - left) * upTo(first), top, left + (right - left) * upTo(last + 1), bottom]
}

function usualWidth(sign: string): number {
  if (/[ijl|.,:;'!I()[\]-]/.test(sign)) return 0.28
  if (/[mwMW@%]/.test(sign)) return 0.86
  if (/[ftr]/.test(sign)) return 0.33
  if (/[\p{Lu}]/u.test(sign)) return 0.68
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(sign) ? 1 : 0.55
}

import type { TextFont } from './fonts.ts'

export interface PlacedLine {
  text: string
  x: number
  y: number
  size: number
}

export interface LineOptions {
  width: number
  height: number
  /** Width of the border. */
  edge: number
  /** 0: as large as fits. */
  size: number
  /** 0 left, 1 centre, 2 right, as in PDF. */
  align: number
  isMultiline: boolean
  /** For a comb field: the number of cells of equal width. */
  cells: number | undefined
}

export const PADDING = 2
const TOLERANCE = 0.5
const MIN_SIZE = 4
const MAX_SINGLE_LINE_SIZE = 144
const MAX_MULTILINE_SIZE = 12
export const LINE_HEIGHT = 1.16

/** Places the lines of a field, in the field's own coordinates. */
export function layoutLines(text: string, font: TextFont, options: LineOptions): PlacedLine[] {
  if (options.cells !== undefined) return layoutComb(text, font, options, options.cells)
  return options.isMultiline ? layoutParagraphs(text, font, options) : [layoutSingleLine(text, font, options)]
}

/** Whether a part of the text lies outside of the field, where only a viewer can scroll to it. */
export function isCutOff(lines: readonly PlacedLine[], font: TextFont, { width, edge }: LineOptions): boolean {
  const isOutside = ({ text, x, y, size }: PlacedLine) =>
    y < edge - TOLERANCE || x < edge - TOLERANCE || x + font.width(text) * size > width - edge + TOLERANCE
  return lines.some(line => line.text !== '' && isOutside(line))
}

function layoutSingleLine(text: string, font: TextFont, options: LineOptions): PlacedLine {
  const availableWidth = options.width - 2 * (options.edge + PADDING)
  const sizeByHeight = Math.min(
    MAX_SINGLE_LINE_SIZE,
    (options.height - 2 * options.edge) / (font.ascent + font.descent),
  )
  const size =
    options.size || Math.max(MIN_SIZE, Math.min(sizeByHeight, availableWidth / Math.max(0.01, font.width(text))))
  const y = (options.height - (font.ascent - font.descent) * size) / 2
  return { text, x: startOfLine(text, font, size, options), y, size }
}

/** Right-to-left text is aligned to the right, unless the form sets an alignment. */
export function startOfLine(text: string, font: TextFont, size: number, { width, edge, align }: LineOptions): number {
  const start = edge + PADDING
  const spare = width - 2 * start - font.width(text) * size
  const isRight = align === 2 || (align === 0 && font.isRightToLeft(text))
  if (align === 1) return start + Math.max(0, spare / 2)
  return isRight ? start + spare : start
}

function layoutComb(text: string, font: TextFont, options: LineOptions, cells: number): PlacedLine[] {
  const characters = splitCharacters(text)
  const cellWidth = options.width / cells
  const widest = Math.max(0.01, ...characters.map(character => font.width(character)))
  const sizeByHeight = (options.height - 2 * options.edge) / (font.ascent + font.descent)
  const size = options.size || Math.max(MIN_SIZE, Math.min(sizeByHeight, (cellWidth * 0.9) / widest))
  const y = (options.height - (font.ascent - font.descent) * size) / 2
  const first =
    options.align === 2
      ? cells - characters.length
      : options.align === 1
        ? Math.floor((cells - characters.length) / 2)
        : 0
  return characters.map((character, index) => ({
    text: character,
    x: (first + index + 0.5) * cellWidth - (font.width(character) * size) / 2,
    y,
    size,
  }))
}

function layoutParagraphs(text: string, font: TextFont, options: LineOptions): PlacedLine[] {
  const width = options.width - 2 * (options.edge + PADDING)
  const height = options.height - 2 * (options.edge + PADDING)
  let size = options.size || MAX_MULTILINE_SIZE
  let lines = wrapText(text, font, width / size)
  while (options.size === 0 && size > MIN_SIZE && lines.length * size * LINE_HEIGHT > height) {
    size = Math.max(MIN_SIZE, size - 0.5)
    lines = wrapText(text, font, width / size)
  }
  const top = options.height - options.edge - PADDING - font.ascent * size
  return lines.map((line, index) => ({
    text: line,
    x: startOfLine(line, font, size, options),
    y: top - index * size * LINE_HEIGHT,
    size,
  }))
}

const words = new Intl.Segmenter('und', { granularity: 'word' })
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Breaks text into lines of at most `maxWidth`, in font sizes. Splits a word only if it alone is wider. */
export function wrapText(text: string, font: TextFont, maxWidth: number): string[] {
  return text.split('\n').flatMap(paragraph => {
    const lines: string[] = []
    let line = ''
    let width = 0
    for (const part of splitWords(paragraph).flatMap(word => splitWideWord(word, font, maxWidth))) {
      const isTooWide = line !== '' && width + font.width(part.trimEnd()) > maxWidth
      if (isTooWide) lines.push(line.trimEnd())
      line = isTooWide ? part.trimStart() : line + part
      width = isTooWide ? font.width(line) : width + font.width(part)
    }
    return [...lines, line.trimEnd()]
  })
}

/** No line begins with the punctuation that ends a word. */
function splitWords(text: string): string[] {
  const parts: string[] = []
  for (const { segment } of words.segment(text)) {
    const last = parts.at(-1)
    if (last !== undefined && ENDS_WORD.test(segment) && /\S$/.test(last)) parts[parts.length - 1] = last + segment
    else parts.push(segment)
  }
  return parts
}

const ENDS_WORD = /^[\p{Pe}\p{Pf}.,:;!?、。，．：；！？]+$/u

function splitWideWord(word: string, font: TextFont, maxWidth: number): string[] {
  if (font.width(word) <= maxWidth) return [word]
  return splitCharacters(word)
}

function splitCharacters(text: string): string[] {
  return [...graphemes.segment(text)].map(({ segment }) => segment)
}

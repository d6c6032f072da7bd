import type { Letters } from './form-letters.ts'

export interface Placed {
  text: string
  x: number
  y: number
  size: number
}

export interface LineRoom {
  width: number
  height: number
  /** What the border takes. */
  edge: number
  /** 0: as large as fits. */
  size: number
  /** 0 left, 1 in the middle, 2 right. */
  align: number
  isMultiline: boolean
  /** Of a comb: how many cells of the same width. */
  cells: number | undefined
}

const PADDING = 2
const SMALLEST = 4
const LARGEST_ALONE = 144
const LARGEST_OF_MANY = 12
const LINE_HEIGHT = 1.16

/** Where the lines of a field stand, in the field's own space. */
export function placedLines(text: string, letters: Letters, room: LineRoom): Placed[] {
  if (room.cells !== undefined) return combed(text, letters, room, room.cells)
  return room.isMultiline ? flowing(text, letters, room) : [single(text, letters, room)]
}

function single(text: string, letters: Letters, room: LineRoom): Placed {
  const free = room.width - 2 * (room.edge + PADDING)
  const natural = Math.min(LARGEST_ALONE, (room.height - 2 * room.edge) / (letters.ascent + letters.descent))
  const size = room.size || Math.max(SMALLEST, Math.min(natural, free / Math.max(0.01, letters.width(text))))
  const y = (room.height - (letters.ascent - letters.descent) * size) / 2
  return { text, x: leftOf(text, letters, size, room), y, size }
}

/** Who writes from the right begins at the right, unless the form says otherwise. */
function leftOf(text: string, letters: Letters, size: number, { width, edge, align }: LineRoom): number {
  const start = edge + PADDING
  const spare = width - 2 * start - letters.width(text) * size
  const isRight = align === 2 || (align === 0 && letters.isFromRight(text))
  if (align === 1) return start + Math.max(0, spare / 2)
  return isRight ? start + spare : start
}

function combed(text: string, letters: Letters, room: LineRoom, cells: number): Placed[] {
  const signs = [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)].map(({ segment }) => segment)
  const cell = room.width / cells
  const widest = Math.max(0.01, ...signs.map(sign => letters.width(sign)))
  const natural = (room.height - 2 * room.edge) / (letters.ascent + letters.descent)
  const size = room.size || Math.max(SMALLEST, Math.min(natural, (cell * 0.9) / widest))
  const y = (room.height - (letters.ascent - letters.descent) * size) / 2
  const first = room.align === 2 ? cells - signs.length : room.align === 1 ? Math.floor((cells - signs.length) / 2) : 0
  return signs.map((sign, index) => ({
    text: sign,
    x: (first + index + 0.5) * cell - (letters.width(sign) * size) / 2,
    y,
    size,
  }))
}

function flowing(text: string, letters: Letters, room: LineRoom): Placed[] {
  const wide = room.width - 2 * (room.edge + PADDING)
  const high = room.height - 2 * (room.edge + PADDING)
  let size = room.size || LARGEST_OF_MANY
  let lines = wrapped(text, letters, wide / size)
  while (room.size === 0 && size > SMALLEST && lines.length * size * LINE_HEIGHT > high) {
    size = Math.max(SMALLEST, size - 0.5)
    lines = wrapped(text, letters, wide / size)
  }
  const top = room.height - room.edge - PADDING - letters.ascent * size
  return lines.map((line, index) => ({
    text: line,
    x: leftOf(line, letters, size, room),
    y: top - index * size * LINE_HEIGHT,
    size,
  }))
}

const words = new Intl.Segmenter('und', { granularity: 'word' })
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Lines no wider than `most`, in sizes; a word that is wider by itself is divided. */
function wrapped(text: string, letters: Letters, most: number): string[] {
  return text.split('\n').flatMap(paragraph => {
    const lines: string[] = []
    let line = ''
    let width = 0
    for (const part of [...words.segment(paragraph)].flatMap(({ segment }) => pieces(segment, letters, most))) {
      const isOver = line !== '' && width + letters.width(part.trimEnd()) > most
      if (isOver) lines.push(line.trimEnd())
      line = isOver ? part.trimStart() : line + part
      width = isOver ? letters.width(line) : width + letters.width(part)
    }
    return [...lines, line.trimEnd()]
  })
}

function pieces(word: string, letters: Letters, most: number): string[] {
  if (letters.width(word) <= most) return [word]
  return [...graphemes.segment(word)].map(({ segment }) => segment)
}

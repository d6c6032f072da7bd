import type { TextStyle } from '../../../tasks/formats/pdf/fonts.ts'
import { findMissingCharacters, shapeLine } from './shaping.ts'

export function bind() {
  return { measure }
}

/** Coloured emoji, which the shaper has no font for, are drawn this wide. */
const EMOJI_WIDTH = 1.25

/** The width of each line of text, relative to the font size. */
async function measure(lines: readonly string[], style: TextStyle): Promise<number[]> {
  return lines.map(line => measureLine(line, style))
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

function measureLine(line: string, style: TextStyle): number {
  const missing = new Set(findMissingCharacters(line, style))
  if (missing.size === 0) return shapeLine(line, style).width
  const segments = [...graphemes.segment(line)].map(({ segment }) => segment)
  const known = segments.filter(segment => !missing.has(segment))
  return shapeLine(known.join(''), style).width + (segments.length - known.length) * EMOJI_WIDTH
}

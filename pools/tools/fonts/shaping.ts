import bidiFactory from 'bidi-js'
import { Direction, Buffer as GlyphBuffer, shape } from 'harfbuzzjs'
import { Problem } from '#kit'
import type { TextStyle } from '../../../tasks/formats/pdf/fonts.ts'
import { detectHanVariant } from '../../../tasks/formats/words/scripts.ts'
import { candidateFonts, type FontRequest, type OpenFont } from './files.ts'

// Decision 0060: shape text for every script with HarfBuzz.

/** A glyph of a line; measures are relative to the font size. */
export interface ShapedGlyph {
  font: OpenFont
  glyph: number
  /** The characters it stands for; empty if the glyph before it already stands for them. */
  text: string
  advance: number
  x: number
  y: number
}

export interface ShapedLine {
  /** From left to right, as displayed. */
  glyphs: ShapedGlyph[]
  width: number
}

interface Run {
  font: OpenFont
  start: number
  end: number
  level: number
}

// The package declares a default export that its code does not have.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)()
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Shapes one line of text in any script: chooses fonts, forms ligatures, and orders right-to-left text. */
export function shapeLine(text: string, style: TextStyle): ShapedLine {
  if (text === '') return { glyphs: [], width: 0 }
  const runs = splitRuns(text, { ...style, hanVariant: detectHanVariant(text) })
  const glyphs = toVisualOrder(runs).flatMap(run => shapeRun(text, run))
  return { glyphs, width: glyphs.reduce((sum, { advance }) => sum + advance, 0) }
}

/** The characters that no installed font covers. */
export function findMissingCharacters(text: string, style: TextStyle): string[] {
  const request = { ...style, hanVariant: detectHanVariant(text) }
  const isMissing = (segment: string) => !findFont(segment, request)
  return [...new Set([...graphemes.segment(text)].map(({ segment }) => segment).filter(isMissing))]
}

function splitRuns(text: string, request: FontRequest): Run[] {
  const { levels } = bidi.getEmbeddingLevels(text)
  const runs: Run[] = []
  for (const { segment, index } of graphemes.segment(text)) {
    const before = runs.at(-1)
    const level = levels[index]!
    const font = before && canKeepFont(before.font, segment) ? before.font : findFont(segment, request)
    if (!font) throw new Problem('FONT_UNAVAILABLE', { characters: findMissingCharacters(text, request).slice(0, 20) })
    const end = index + segment.length
    if (before?.font === font && before.level === level) before.end = end
    else runs.push({ font, start: index, end, level })
  }
  return runs
}

const COMMON_SCRIPT = /^[\p{Script=Common}\p{Script=Inherited}]+$/u

/** Spaces, digits and symbols use the font of the characters before them, if it covers them. */
function canKeepFont(font: OpenFont, segment: string): boolean {
  return COMMON_SCRIPT.test(segment) && coversSegment(font, segment)
}

function findFont(segment: string, request: FontRequest): OpenFont | undefined {
  for (const font of candidateFonts(segment, request)) if (coversSegment(font, segment)) return font
  return undefined
}

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/u

function coversSegment(font: OpenFont, segment: string): boolean {
  return [...segment.normalize('NFC')].every(
    character => INVISIBLE.test(character) || font.covers(character.codePointAt(0)!),
  )
}

/** Rule L2 of the Unicode bidirectional algorithm, applied to whole runs. */
function toVisualOrder(runs: Run[]): Run[] {
  const ordered = [...runs]
  const highest = Math.max(...runs.map(({ level }) => level))
  for (let level = highest; level > 0; level -= 1) {
    for (let start = 0; start < ordered.length; start += 1) {
      let end = start
      while (end < ordered.length && ordered[end]!.level >= level) end += 1
      if (end > start) ordered.splice(start, end - start, ...ordered.slice(start, end).reverse())
      start = end
    }
  }
  return ordered
}

function shapeRun(text: string, { font, start, end, level }: Run): ShapedGlyph[] {
  const buffer = new GlyphBuffer()
  buffer.addText(text, start, end - start)
  buffer.setDirection(level % 2 === 1 ? Direction.RTL : Direction.LTR)
  buffer.guessSegmentProperties()
  shape(font.font, buffer)
  const shaped = buffer.getGlyphInfosAndPositions()
  const clusters = [...new Set(shaped.map(({ cluster }) => cluster))].sort((a, b) => a - b)
  const seen = new Set<number>()
  return shaped.map(({ codepoint, cluster, xAdvance = 0, xOffset = 0, yOffset = 0 }) => {
    const next = clusters[clusters.indexOf(cluster) + 1] ?? end
    const characters = seen.has(cluster) ? '' : text.slice(cluster, next)
    seen.add(cluster)
    const toFontSize = (units: number) => units / font.unitsPerEm
    return {
      font,
      glyph: codepoint,
      text: characters,
      advance: toFontSize(xAdvance),
      x: toFontSize(xOffset),
      y: toFontSize(yOffset),
    }
  })
}

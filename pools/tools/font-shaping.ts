import bidiFactory from 'bidi-js'
import { Direction, Buffer as GlyphBuffer, shape } from 'harfbuzzjs'
import { Problem } from '#kit'
import { type FontWish, fontsFor, type HanForms, type OpenFont } from './font-files.ts'

/** A glyph of a line, in units of the font size. */
export interface SetGlyph {
  font: OpenFont
  glyph: number
  /** The characters it stands for; nothing where a glyph before it stands for them too. */
  text: string
  advance: number
  x: number
  y: number
}

export interface SetLine {
  /** From left to right, as they are seen. */
  glyphs: SetGlyph[]
  width: number
}

export interface LetterWish {
  family: 'sans' | 'serif'
  bold: boolean
}

interface Run {
  font: OpenFont
  start: number
  end: number
  level: number
}

// Its types are those of a module, its code is not.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)()
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Sets one line of text of any script: chooses fonts, joins letters, and runs from right to left where it must. */
export function setLine(text: string, wish: LetterWish): SetLine {
  if (text === '') return { glyphs: [], width: 0 }
  const han = hanFormsOf(text)
  const glyphs = visualRuns(runsOf(text, { ...wish, han })).flatMap(run => glyphsOf(text, run))
  return { glyphs, width: glyphs.reduce((sum, { advance }) => sum + advance, 0) }
}

/** Which characters no font of this machine has. */
export function missingCharacters(text: string, wish: LetterWish): string[] {
  const full = { ...wish, han: hanFormsOf(text) }
  const isMissing = (segment: string) => !fontOf(segment, full)
  return [...new Set([...graphemes.segment(text)].map(({ segment }) => segment).filter(isMissing))]
}

function hanFormsOf(text: string): HanForms {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'JP'
  if (/\p{Script=Hangul}/u.test(text)) return 'KR'
  return /\p{Script=Bopomofo}/u.test(text) ? 'TC' : 'SC'
}

function runsOf(text: string, wish: FontWish): Run[] {
  const { levels } = bidi.getEmbeddingLevels(text)
  const runs: Run[] = []
  for (const { segment, index } of graphemes.segment(text)) {
    const before = runs.at(-1)
    const level = levels[index]!
    const font = before && staysIn(before.font, segment) ? before.font : fontOf(segment, wish)
    if (!font) throw new Problem('FONT_UNAVAILABLE', { characters: missingCharacters(text, wish).slice(0, 20) })
    const end = index + segment.length
    if (before?.font === font && before.level === level) before.end = end
    else runs.push({ font, start: index, end, level })
  }
  return runs
}

const OF_NO_SCRIPT = /^[\p{Script=Common}\p{Script=Inherited}]+$/u

/** Spaces, digits and signs take the font of the letters before them, where it has them. */
function staysIn(font: OpenFont, segment: string): boolean {
  return OF_NO_SCRIPT.test(segment) && has(font, segment)
}

function fontOf(segment: string, wish: FontWish): OpenFont | undefined {
  for (const font of fontsFor(segment, wish)) if (has(font, segment)) return font
  return undefined
}

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/u

function has(font: OpenFont, segment: string): boolean {
  return [...segment.normalize('NFC')].every(char => INVISIBLE.test(char) || font.covers(char.codePointAt(0)!))
}

/** Rule L2 of the Unicode bidirectional algorithm, over whole runs. */
function visualRuns(runs: Run[]): Run[] {
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

function glyphsOf(text: string, { font, start, end, level }: Run): SetGlyph[] {
  const buffer = new GlyphBuffer()
  buffer.addText(text, start, end - start)
  buffer.setDirection(level % 2 === 1 ? Direction.RTL : Direction.LTR)
  buffer.guessSegmentProperties()
  shape(font.font, buffer)
  const shaped = buffer.getGlyphInfosAndPositions()
  const clusters = [...new Set(shaped.map(({ cluster }) => cluster))].sort((a, b) => a - b)
  const told = new Set<number>()
  return shaped.map(({ codepoint, cluster, xAdvance = 0, xOffset = 0, yOffset = 0 }) => {
    const next = clusters[clusters.indexOf(cluster) + 1] ?? end
    const letters = told.has(cluster) ? '' : text.slice(cluster, next)
    told.add(cluster)
    const scaled = (value: number) => value / font.upem
    return {
      font,
      glyph: codepoint,
      text: letters,
      advance: scaled(xAdvance),
      x: scaled(xOffset),
      y: scaled(yOffset),
    }
  })
}

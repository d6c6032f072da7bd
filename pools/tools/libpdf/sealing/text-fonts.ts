import { findMissingCharacters } from '../../fonts/shaping.ts'
import type { FontEmbedder } from '../content/embedded-fonts.ts'
import { createEmbeddedFont, type TextFont } from '../forms/fonts.ts'

const PLAIN = { family: 'sans', bold: false } as const
/** Stands for a character that no font of this machine has, such as a new emoji. */
const MISSING = '\u25a1'

/** The fonts of what is written when a document is sealed. */
export interface TextFonts {
  plain: TextFont
  bold: TextFont
  serif: TextFont
  /** A name that cannot be written in full must not keep a document from being sealed. */
  replaceMissing(text: string): string
}

export function openTextFonts(embedder: FontEmbedder): TextFonts {
  return {
    plain: createEmbeddedFont(embedder, PLAIN),
    bold: createEmbeddedFont(embedder, { family: 'sans', bold: true }),
    serif: createEmbeddedFont(embedder, { family: 'serif', bold: false }),
    replaceMissing,
  }
}

function replaceMissing(text: string): string {
  const written = text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(NOT_WRITTEN, ' ')
  const missing = findMissingCharacters(written.replaceAll('\n', ' '), PLAIN)
  return missing.reduce((shown, character) => shown.replaceAll(character, MISSING), written)
}

/** Control characters, and those that turn the direction of what follows, by which a name could rewrite the line. */
const NOT_WRITTEN = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

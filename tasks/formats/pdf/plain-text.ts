const HYPHEN_AT_END = /(\p{L})[-\u00ad\u2010]\n[ \t]*(\p{Ll}\S*)[ \t]?/gu
/** Poppler moves the space after right-to-left words to their other side. */
const MISPLACED_SPACES = /\u202b( +)([^\u202b\u202c]*)\u202c/g
/** The text is in reading order without these marks. */
const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g
const LIGATURES: Record<string, string> = { ﬀ: 'ff', ﬁ: 'fi', ﬂ: 'fl', ﬃ: 'ffi', ﬄ: 'ffl', ﬅ: 'ft', ﬆ: 'st' }
const UNMAPPED_CHARACTER = /[\ufffd\p{Co}\p{Cc}]/u
const MAX_UNMAPPED_FRACTION = 0.1

/** Text as copied from a viewer: no ligatures or direction marks, and hyphenated words joined if requested. */
export function cleanText(text: string, dehyphenate: boolean): string {
  const cleaned = text
    .replaceAll(MISPLACED_SPACES, '$2$1')
    .replaceAll(DIRECTION_MARKS, '')
    .replaceAll(/[ﬀ-ﬆ]/g, ligature => LIGATURES[ligature]!)
  if (!dehyphenate) return cleaned.trimEnd()
  return cleaned.replaceAll(HYPHEN_AT_END, '$1$2\n').replaceAll('\u00ad', '').trimEnd()
}

/** True if the font does not map its glyphs to characters, so that only OCR can read the page. */
export function isGarbled(text: string): boolean {
  const visible = [...text.replaceAll(/\s/g, '')]
  const unmappedCount = visible.filter(character => UNMAPPED_CHARACTER.test(character)).length
  return visible.length > 0 && unmappedCount / visible.length > MAX_UNMAPPED_FRACTION
}

const HYPHEN_AT_END = /(\p{L})[-\u00ad\u2010]\n[ \t]*(\p{Ll}\S*)[ \t]?/gu
/** Poppler turns the space after words that run to the left over with them. */
const TURNED_SPACE = /\u202b( +)([^\u202b\u202c]*)\u202c/g
/** Marks that say which way to write; the text itself is in reading order without them. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g
const LIGATURES: Record<string, string> = { ﬀ: 'ff', ﬁ: 'fi', ﬂ: 'fl', ﬃ: 'ffi', ﬄ: 'ffl', ﬅ: 'ft', ﬆ: 'st' }
const NO_LETTER = /[\ufffd\p{Co}\p{Cc}]/u
const GARBLED_SHARE = 0.1

/** Text as a reader would copy it: whole letters, no marks of direction, words whole again where that is asked for. */
export function readable(text: string, dehyphenate: boolean): string {
  const letters = text
    .replaceAll(TURNED_SPACE, '$2$1')
    .replaceAll(DIRECTIONS, '')
    .replaceAll(/[ﬀ-ﬆ]/g, found => LIGATURES[found]!)
  if (!dehyphenate) return letters.trimEnd()
  return letters.replaceAll(HYPHEN_AT_END, '$1$2\n').replaceAll('\u00ad', '').trimEnd()
}

/** Whether a font gave no letters for its shapes, so that only looking at the page tells what it says. */
export function isGarbled(text: string): boolean {
  const visible = [...text.replaceAll(/\s/g, '')]
  const strange = visible.filter(letter => NO_LETTER.test(letter)).length
  return visible.length > 0 && strange / visible.length > GARBLED_SHARE
}

import { Problem } from '#kit'

export interface TextStyle {
  family: 'sans' | 'serif'
  bold: boolean
}

/** The fonts that a caller may choose for text on a page. */
export const FONTS = ['auto', 'sans', 'serif', 'Noto Sans', 'Noto Serif'] as const

export function chooseTextStyle(font = 'auto', bold = false): TextStyle {
  if (!(FONTS as readonly string[]).includes(font)) throw new Problem('FONT_UNAVAILABLE', { font, available: FONTS })
  return { family: /serif/i.test(font) ? 'serif' : 'sans', bold }
}

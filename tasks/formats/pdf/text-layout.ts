import type { Rect } from '../geometry/rect.ts'

/** Boxes are in points from the top left corner of the page as it is displayed. */
export interface TextWord {
  text: string
  box: Rect
}

export interface TextLine extends TextWord {
  words: TextWord[]
}

export interface TextPage {
  width: number
  height: number
  /** In reading order. */
  lines: TextLine[]
}

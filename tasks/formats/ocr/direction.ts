import type { Rect } from '../geometry/rect.ts'

/** Tesseract also reads lines that run up or down; only the shape of their boxes shows it. */
export function hasVerticalLines(lines: readonly { text: string; box: Rect }[]): boolean {
  const longLines = lines.filter(({ text }) => text.length > 3)
  const verticalLines = longLines.filter(({ box: [left, top, right, bottom] }) => bottom - top > (right - left) * 1.5)
  return verticalLines.length > longLines.length / 2
}

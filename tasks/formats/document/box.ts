import { Type } from 'typebox'
import type { Rect } from '../geometry/rect.ts'

const Share = Type.Number({ minimum: 0, maximum: 1 })

export const Box = Type.Object(
  { x: Share, y: Share, width: Share, height: Share },
  { description: 'As shares of the page as displayed, from the top left corner.' },
)

export const Confidence = Type.Number({ minimum: 0, maximum: 1 })

/** A box as a share of the page. */
export function toBox([left, top, right, bottom]: Rect, { width, height }: { width: number; height: number }) {
  const share = (value: number, of: number) => Math.round(Math.min(1, Math.max(0, value / of)) * 10_000) / 10_000
  const [x, y] = [share(left, width), share(top, height)]
  const [farX, farY] = [share(right, width), share(bottom, height)]
  return { x, y, width: Math.round((farX - x) * 10_000) / 10_000, height: Math.round((farY - y) * 10_000) / 10_000 }
}

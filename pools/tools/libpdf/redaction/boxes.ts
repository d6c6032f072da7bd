import type { Rect } from '../../../../tasks/formats/geometry/rect.ts'
import { type Matrix, transformPoint } from '../content/page-view.ts'

export function boundingBox(points: readonly (readonly [number, number])[]): Rect {
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

/** The corners of a rectangle after a transformation. */
export function transformRect(matrix: Matrix, [left, bottom, right, top]: Rect): (readonly [number, number])[] {
  return [
    transformPoint(matrix, left, bottom),
    transformPoint(matrix, right, bottom),
    transformPoint(matrix, right, top),
    transformPoint(matrix, left, top),
  ]
}

export function isWithin(inner: Rect, outer: Rect, tolerance: number): boolean {
  return (
    inner[0] >= outer[0] - tolerance &&
    inner[1] >= outer[1] - tolerance &&
    inner[2] <= outer[2] + tolerance &&
    inner[3] <= outer[3] + tolerance
  )
}

const MAX_COVERED_SHARE = 0.3

/** Whether a box counts as covered: by its centre, or by more of its area than may stay partly visible. */
export function isCovered(box: Rect, by: readonly Rect[]): boolean {
  const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]
  const [width, height] = [Math.max(0.01, box[2] - box[0]), Math.max(0.01, box[3] - box[1])]
  return by.some(other => {
    const coversCenter = x >= other[0] && x <= other[2] && y >= other[1] && y <= other[3]
    const sharedWidth = Math.min(box[2], other[2]) - Math.max(box[0], other[0])
    const sharedHeight = Math.min(box[3], other[3]) - Math.max(box[1], other[1])
    return (
      coversCenter ||
      (sharedWidth > 0 && sharedHeight > 0 && (sharedWidth * sharedHeight) / (width * height) > MAX_COVERED_SHARE)
    )
  })
}

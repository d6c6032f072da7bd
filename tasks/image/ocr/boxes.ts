import type { Rect } from '../../formats/geometry/rect.ts'
import type { Region, Size } from '../../formats/geometry/region.ts'
import { mapToSkewed } from '../../formats/ocr/levelled.ts'

/** The size is that of the recognized image before it was rotated and levelled. */
interface PreparedImage extends Size {
  /** The part of the original image that it shows. */
  region: Region
  /** By how many degrees the lines of the rotated image fell to the right. */
  skew: number
}

/** Maps a box of the recognized image to the original image as displayed: the upright box around it. */
export function mapBoxToOriginal(box: Rect, image: PreparedImage, rotation: number): number[] {
  const { width, height, region, skew } = image
  const lies = rotation === 90 || rotation === 270
  const upright = lies ? { width: height, height: width } : { width, height }
  const [left, top, right, bottom] = box
  const corners = [
    [left, top],
    [right, top],
    [left, bottom],
    [right, bottom],
  ].map(([x, y]) => {
    const [uprightX, uprightY] = mapToSkewed([x!, y!], upright, skew)
    return rotatePointBack(uprightX, uprightY, width, height, rotation)
  })
  const xs = corners.map(([x]) => place(x!, region.x, region.width, width))
  const ys = corners.map(([, y]) => place(y!, region.y, region.height, height))
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

/** The corners of a levelled box may lie outside the image. */
function place(at: number, start: number, length: number, recognizedLength: number): number {
  return Math.round(start + Math.min(Math.max(0, at), recognizedLength) * (length / recognizedLength))
}

function rotatePointBack(x: number, y: number, width: number, height: number, rotation: number): number[] {
  if (rotation === 90) return [y, height - x]
  if (rotation === 180) return [width - x, height - y]
  return rotation === 270 ? [width - y, x] : [x, y]
}

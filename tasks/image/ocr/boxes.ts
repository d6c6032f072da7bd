import type { Rect } from '../../formats/geometry/rect.ts'
import type { Region, Size } from '../../formats/geometry/region.ts'

/** The size is that of the recognized image before it was rotated. */
interface PreparedImage extends Size {
  /** The part of the original image that it shows. */
  region: Region
}

/** Maps a box of the recognized image to the original image as displayed. */
export function mapBoxToOriginal(box: Rect, { width, height, region }: PreparedImage, rotation: number): number[] {
  const corners = [
    [box[0], box[1]],
    [box[2], box[3]],
  ].map(([x, y]) => rotatePointBack(x!, y!, width, height, rotation))
  const [scaleX, scaleY] = [region.width / width, region.height / height]
  const xs = corners.map(([x]) => Math.round(region.x + x! * scaleX)).sort((a, b) => a - b)
  const ys = corners.map(([, y]) => Math.round(region.y + y! * scaleY)).sort((a, b) => a - b)
  return [xs[0]!, ys[0]!, xs[1]!, ys[1]!]
}

function rotatePointBack(x: number, y: number, width: number, height: number, rotation: number): number[] {
  if (rotation === 90) return [y, height - x]
  if (rotation === 180) return [width - x, height - y]
  return rotation === 270 ? [width - y, x] : [x, y]
}

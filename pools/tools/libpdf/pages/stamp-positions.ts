import { type Matrix, multiplyMatrices, type PageView } from '../content/page-view.ts'

export interface StampPlacement {
  position: string
  offset: { x: number; y: number }
  margin: number
  /** Degrees, counterclockwise. */
  rotation: number
  /** Fraction of the page width. */
  scale: number
}

const MAX_TILES = 1000

/** Places a stamp on the page as displayed. Each matrix maps the stamp's lower left corner to its position. */
export function placeStamp(
  { width, height }: { width: number; height: number },
  { position, offset, margin, rotation }: StampPlacement,
  view: PageView,
): Matrix[] {
  const angle = (rotation * Math.PI) / 180
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)]
  const boundsWidth = Math.abs(width * cosine) + Math.abs(height * sine)
  const boundsHeight = Math.abs(width * sine) + Math.abs(height * cosine)
  const centers =
    position === 'tile'
      ? findTileCenters(boundsWidth, boundsHeight, view)
      : [findCenter(position, boundsWidth, boundsHeight, margin, view)]
  return centers.map(([x, y]) =>
    multiplyMatrices([1, 0, 0, 1, -width / 2, -height / 2], [cosine, sine, -sine, cosine, x + offset.x, y + offset.y]),
  )
}

/** Whether any of the placed stamps shows on the page. */
export function isOnPage(
  { width, height }: { width: number; height: number },
  matrices: readonly Matrix[],
  view: PageView,
): boolean {
  return matrices.some(([a, b, c, d, e, f]) => {
    const xs = [e, e + a * width, e + c * height, e + a * width + c * height]
    const ys = [f, f + b * width, f + d * height, f + b * width + d * height]
    return Math.max(...xs) > 0 && Math.min(...xs) < view.width && Math.max(...ys) > 0 && Math.min(...ys) < view.height
  })
}

function findCenter(
  position: string,
  boundsWidth: number,
  boundsHeight: number,
  margin: number,
  view: PageView,
): [number, number] {
  const x = position.includes('west') ? margin + boundsWidth / 2 : view.width - margin - boundsWidth / 2
  const y = position.includes('south') ? margin + boundsHeight / 2 : view.height - margin - boundsHeight / 2
  return [/east|west/.test(position) ? x : view.width / 2, /north|south/.test(position) ? y : view.height / 2]
}

/** Covers the page, with gaps of half a stamp. Widens the gaps if there would be too many tiles. */
function findTileCenters(boundsWidth: number, boundsHeight: number, view: PageView): [number, number][] {
  let [stepX, stepY] = [Math.max(boundsWidth * 1.5, 10), Math.max(boundsHeight * 1.5, 10)]
  const spread = Math.sqrt(((view.width / stepX + 2) * (view.height / stepY + 2)) / MAX_TILES)
  if (spread > 1) [stepX, stepY] = [stepX * spread, stepY * spread]
  const columns = Math.ceil(view.width / stepX / 2)
  const rows = Math.ceil(view.height / stepY / 2)
  const centers: [number, number][] = []
  for (let row = -rows; row <= rows; row += 1)
    for (let column = -columns; column <= columns; column += 1)
      centers.push([view.width / 2 + column * stepX, view.height / 2 + row * stepY])
  return centers
}

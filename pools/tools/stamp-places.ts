import { type Matrix, multiply, type PageView } from './pdf-view.ts'

export interface Placing {
  position: string
  offset: { x: number; y: number }
  margin: number
  /** Degrees against the clock. */
  rotation: number
  /** Share of the page's width. */
  scale: number
}

const MOST_TILES = 1000

/** Where a mark goes on a page as it is seen: matrices from the mark's own corner. */
export function placesOf(
  { width, height }: { width: number; height: number },
  { position, offset, margin, rotation }: Placing,
  view: PageView,
): Matrix[] {
  const angle = (rotation * Math.PI) / 180
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)]
  const wide = Math.abs(width * cosine) + Math.abs(height * sine)
  const high = Math.abs(width * sine) + Math.abs(height * cosine)
  const centers = position === 'tile' ? tiles(wide, high, view) : [centerOf(position, wide, high, margin, view)]
  return centers.map(([x, y]) =>
    multiply([1, 0, 0, 1, -width / 2, -height / 2], [cosine, sine, -sine, cosine, x + offset.x, y + offset.y]),
  )
}

function centerOf(position: string, wide: number, high: number, margin: number, view: PageView): [number, number] {
  const across = position.includes('west') ? margin + wide / 2 : view.width - margin - wide / 2
  const up = position.includes('south') ? margin + high / 2 : view.height - margin - high / 2
  return [/east|west/.test(position) ? across : view.width / 2, /north|south/.test(position) ? up : view.height / 2]
}

/** All over the page with half a mark of air between; fewer and wider apart where they would be very many. */
function tiles(wide: number, high: number, view: PageView): [number, number][] {
  let [stepX, stepY] = [Math.max(wide * 1.5, 10), Math.max(high * 1.5, 10)]
  const crowd = Math.sqrt(((view.width / stepX + 2) * (view.height / stepY + 2)) / MOST_TILES)
  if (crowd > 1) [stepX, stepY] = [stepX * crowd, stepY * crowd]
  const columns = Math.ceil(view.width / stepX / 2)
  const rows = Math.ceil(view.height / stepY / 2)
  const places: [number, number][] = []
  for (let row = -rows; row <= rows; row += 1)
    for (let column = -columns; column <= columns; column += 1)
      places.push([view.width / 2 + column * stepX, view.height / 2 + row * stepY])
  return places
}

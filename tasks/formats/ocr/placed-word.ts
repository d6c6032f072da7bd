/** A recognized word on a page as displayed. */
export interface PlacedWord {
  text: string
  /** From 0 to 100. */
  confidence: number
  /** Its lower left corner, in points from the top left corner of the page. */
  x: number
  y: number
  /** Along and across its line, in points. */
  width: number
  height: number
  /** By which the line falls to the right, in radians. */
  angle: number
}

export interface PlacedLine extends PlacedWord {
  words: PlacedWord[]
}

/** The upright box around a word: left, top, right, bottom. */
export function boxOf({ x, y, width, height, angle }: PlacedWord): number[] {
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)]
  const corners = [
    [0, 0],
    [width, 0],
    [0, -height],
    [width, -height],
  ].map(([along, across]) => [x + along! * cosine - across! * sine, y + along! * sine + across! * cosine])
  const [xs, ys] = [corners.map(([left]) => left!), corners.map(([, top]) => top!)]
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)].map(
    value => Math.round(value * 100) / 100,
  )
}

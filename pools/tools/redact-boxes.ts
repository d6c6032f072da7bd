import { type Matrix, moved } from './pdf-view.ts'

/** Left, top, right, bottom in points from the top left corner of a page as it is seen. */
export type Box = readonly [left: number, top: number, right: number, bottom: number]

export function boundsOf(points: readonly (readonly [number, number])[]): Box {
  const across = points.map(([x]) => x)
  const down = points.map(([, y]) => y)
  return [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)]
}

/** The corners of a rectangle of some space, in the space a matrix leads to. */
export function quad(matrix: Matrix, [left, bottom, right, top]: Box): (readonly [number, number])[] {
  return [
    moved(matrix, left, bottom),
    moved(matrix, right, bottom),
    moved(matrix, right, top),
    moved(matrix, left, top),
  ]
}

export function touches(one: Box, other: Box): boolean {
  return one[0] < other[2] && one[2] > other[0] && one[1] < other[3] && one[3] > other[1]
}

export function lieWithin(inner: Box, outer: Box, slack: number): boolean {
  return (
    inner[0] >= outer[0] - slack &&
    inner[1] >= outer[1] - slack &&
    inner[2] <= outer[2] + slack &&
    inner[3] <= outer[3] + slack
  )
}

const MOST_LEFT = 0.3

/** Whether so much of a box is covered that what it shows could be guessed. */
export function isCovered(box: Box, by: readonly Box[]): boolean {
  const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]
  const [wide, high] = [Math.max(0.01, box[2] - box[0]), Math.max(0.01, box[3] - box[1])]
  return by.some(other => {
    const holdsMiddle = x >= other[0] && x <= other[2] && y >= other[1] && y <= other[3]
    const across = Math.min(box[2], other[2]) - Math.max(box[0], other[0])
    const down = Math.min(box[3], other[3]) - Math.max(box[1], other[1])
    return holdsMiddle || (across > 0 && down > 0 && (across * down) / (wide * high) > MOST_LEFT)
  })
}

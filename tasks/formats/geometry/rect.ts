/** Measured from the top left corner of a page or image as it is displayed. */
export type Rect = readonly [left: number, top: number, right: number, bottom: number]

export function rectsOverlap(one: Rect, other: Rect): boolean {
  return one[0] < other[2] && one[2] > other[0] && one[1] < other[3] && one[3] > other[1]
}

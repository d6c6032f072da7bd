import type { PageBoxes } from './document.ts'

/** The width and height in points of a page as displayed, rotation included. */
export function measurePage(boxes: PageBoxes, box: 'crop' | 'media' = 'crop'): [width: number, height: number] {
  const [, , across, up] = boxes[box]
  const sides = boxes.rotate % 180 === 0 ? ([across, up] as const) : ([up, across] as const)
  return [sides[0] * boxes.userUnit, sides[1] * boxes.userUnit]
}

/** Width and height in points, portrait. */
const SIZES = {
  A3: [841.89, 1190.55],
  A4: [595.28, 841.89],
  A5: [419.53, 595.28],
  A6: [297.64, 419.53],
  letter: [612, 792],
  legal: [612, 1008],
} as const

export type PageSize = keyof typeof SIZES

export const PAGE_SIZES = Object.keys(SIZES) as PageSize[]

export function pageSizeOf(name: PageSize): [width: number, height: number] {
  return [...SIZES[name]]
}

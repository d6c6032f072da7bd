import type { PageBoxes } from '../../formats/pdf/document.ts'
import { measurePage } from '../../formats/pdf/page-size.ts'
import type { PageSize } from '../../formats/pdf/standard-sizes.ts'
import { orientSize } from './areas.ts'

interface SheetOptions {
  perSheet: 2 | 4 | 6 | 8 | 9 | 16
  pageSize: PageSize
  orientation: 'auto' | 'portrait' | 'landscape'
  order: 'rows' | 'columns'
  margin: number
  gap: number
  border: boolean
}

/** The longer and the shorter side of the grid. */
const GRIDS = { 2: [2, 1], 4: [2, 2], 6: [3, 2], 8: [4, 2], 9: [3, 3], 16: [4, 4] } as const

/** Plans sheets of several pages. `auto` takes the orientation in which the first page is larger. */
export function planSheets(pages: readonly number[], boxes: readonly PageBoxes[], options: SheetOptions) {
  const { perSheet, pageSize, order, margin, gap, border } = options
  const first = measurePage(boxes[pages[0]! - 1]!)
  const [long, short] = GRIDS[perSheet]
  const grids = {
    portrait: { columns: short, rows: long, size: orientSize(pageSize, 'portrait') },
    landscape: { columns: long, rows: short, size: orientSize(pageSize, 'landscape') },
  }
  const scaleIn = ({ columns, rows, size }: (typeof grids)['portrait' | 'landscape']) =>
    Math.min(
      (size[0] - 2 * margin - (columns - 1) * gap) / columns / first[0],
      (size[1] - 2 * margin - (rows - 1) * gap) / rows / first[1],
    )
  const best = scaleIn(grids.landscape) > scaleIn(grids.portrait) ? 'landscape' : 'portrait'
  const grid = grids[options.orientation === 'auto' ? best : options.orientation]
  const places = order === 'rows' ? undefined : listColumnPlaces(grid)
  const sheets: (number | null)[][] = []
  for (let start = 0; start < pages.length; start += perSheet) {
    const shown = pages.slice(start, start + perSheet)
    sheets.push(Array.from({ length: perSheet }, (_, place) => shown[places ? places[place]! : place] ?? null))
  }
  return { ...grid, sheets, margin, gap, hasBorder: border }
}

/** For each place of the grid, row by row, its position when it is filled column by column. */
function listColumnPlaces({ columns, rows }: { columns: number; rows: number }): number[] {
  return Array.from({ length: columns * rows }, (_, place) => (place % columns) * rows + Math.floor(place / columns))
}

interface BookletOptions {
  pageSize: PageSize
  binding: 'left' | 'right'
  margin: number
  gap: number
}

/** Plans a booklet: both sides of each sheet show two pages, so that the stack can be folded in the middle. */
export function planBooklet(pages: readonly number[], { pageSize, binding, margin, gap }: BookletOptions) {
  const total = Math.ceil(pages.length / 4) * 4
  const at = (index: number) => pages[index] ?? null
  const sheets = Array.from({ length: total / 2 }, (_, side) => {
    const [early, late] = [at(side), at(total - 1 - side)]
    const isEarlyRight = (side % 2 === 0) === (binding === 'left')
    return isEarlyRight ? [late, early] : [early, late]
  })
  const size = orientSize(pageSize, 'landscape')
  return { columns: 2, rows: 1, size, sheets, margin, gap, hasBorder: false }
}

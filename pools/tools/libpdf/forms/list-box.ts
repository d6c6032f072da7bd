import { PdfArray, PdfNumber } from '@libpdf/core'
import { formatNumber } from '../content/embedded-fonts.ts'
import type { Resolve } from '../objects.ts'
import { type Field, inheritedAttribute, readText } from './fields.ts'
import type { TextFont } from './fonts.ts'
import { LINE_HEIGHT, type LineOptions, PADDING, type PlacedLine, startOfLine } from './line-layout.ts'

interface ListRow {
  label: string
  isChosen: boolean
}

/** All options of a list box in their order, from the one that it shows at the top. */
export function readRows(field: Field, resolve: Resolve): { rows: ListRow[]; top: number } {
  const value = inheritedAttribute(field.dict, 'V', resolve)
  const list = value instanceof PdfArray ? value.toArray().map(item => readText(item)) : [readText(value)]
  const rows = field.options.map(option => ({ label: option.label, isChosen: list.includes(option.value) }))
  const top = inheritedAttribute(field.dict, 'TI', resolve)
  return { rows, top: top instanceof PdfNumber ? top.value : 0 }
}

const [LARGEST_SIZE, LEAST_SIZE, LEAST_CHOSEN_SIZE] = [12, 6, 4]
/** The colour in which viewers mark what is chosen. */
const MARK = '0.6 0.757 0.855 rg'

/** Places as many rows as the box has room for, with what is chosen among them, and marks that. */
export function layoutList(
  { rows, top }: ReturnType<typeof readRows>,
  font: TextFont,
  options: LineOptions,
): { lines: PlacedLine[]; marks: string } {
  const available = options.height - 2 * (options.edge + PADDING)
  const sizeFor = (count: number, least: number) =>
    options.size || Math.max(least, Math.min(LARGEST_SIZE, available / count / LINE_HEIGHT))
  const visibleOf = (size: number) => Math.max(1, Math.floor(available / (size * LINE_HEIGHT) + 0.001))
  let size = sizeFor(rows.length, LEAST_SIZE)
  let shown = findWindow(rows, top, visibleOf(size))
  if (!shown) {
    // What is chosen must be seen, also on paper.
    shown = rows.filter(({ isChosen }) => isChosen)
    size = sizeFor(shown.length, LEAST_CHOSEN_SIZE)
  }
  const height = size * LINE_HEIGHT
  const first = options.height - options.edge - PADDING
  const lines = shown.map(({ label }, index) => ({
    text: label,
    x: startOfLine(label, font, size, options),
    y: first - index * height - font.ascent * size,
    size,
  }))
  const marks = shown.flatMap(({ isChosen }, index) =>
    isChosen ? [markRow(first - (index + 1) * height, height, options)] : [],
  )
  return { lines, marks: marks.length > 0 ? `${MARK}\n${marks.join('\n')}\nf\n` : '' }
}

/** The rows from `top` on, or from nearby so that all that is chosen is seen; none if there is no room for that. */
function findWindow(rows: readonly ListRow[], top: number, visible: number): ListRow[] | undefined {
  const chosen = rows.flatMap(({ isChosen }, index) => (isChosen ? [index] : []))
  const [first = top, last = top] = [chosen[0], chosen.at(-1)]
  if (last - first >= visible) return undefined
  const start = Math.max(0, Math.min(top, first, rows.length - visible), last - visible + 1)
  return rows.slice(start, start + visible)
}

function markRow(bottom: number, height: number, { width, edge }: LineOptions): string {
  return `${[edge, bottom, width - 2 * edge, height].map(formatNumber).join(' ')} re`
}

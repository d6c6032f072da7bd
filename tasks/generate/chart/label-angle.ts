import type { Row } from './data.ts'

const WIDE = /[\u1100-\uffdc\u{1f300}-\u{1faff}\u{20000}-\u{3ffff}]/u
const LETTER_PX = 6.2
const WIDE_LETTER_PX = 10.5
const GAP_PX = 8
/** What stands beside the bars: the other axis with its title, and the legend. */
const AXIS_PX = 80
const LEGEND_PX = 120

/** Whether the names along an axis fit side by side; Vega turns them all upright unless it is told otherwise. */
export function fitLevel(
  rows: readonly Row[],
  field: string,
  { width, hasLegend }: { width: number; hasLegend: boolean },
) {
  const labels = [...new Set(rows.map(row => String(row[field] ?? '')))]
  const step = (width - AXIS_PX - (hasLegend ? LEGEND_PX : 0)) / labels.length
  return labels.every(label => measureLabel(label) + GAP_PX <= step)
}

function measureLabel(label: string): number {
  return [...label].reduce((sum, letter) => sum + (WIDE.test(letter) ? WIDE_LETTER_PX : LETTER_PX), 0)
}

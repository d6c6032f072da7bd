import type { SpentDay } from '../../../sql/job.ts'
import { formatDay, formatMoney } from './format.ts'
import { type Html, html } from './html.ts'

const [WIDTH, HEIGHT, TOP_MARGIN, BOTTOM_MARGIN, LEFT_MARGIN] = [720, 220, 18, 26, 76]

/** Spend per day as bars. It does not depend on colour, and every bar has a title for screen readers. */
export function renderSpendChart(days: readonly SpentDay[]): Html {
  const maxMicros = days.reduce((top, { micros }) => (BigInt(micros) > top ? BigInt(micros) : top), 0n)
  if (maxMicros === 0n) return html`<p class="empty">Nothing spent in the last ${days.length} days.</p>`
  const top = roundUpToAxis(maxMicros)
  const dayWidth = (WIDTH - LEFT_MARGIN) / days.length
  const plotHeight = HEIGHT - BOTTOM_MARGIN - TOP_MARGIN
  const bars = days.map((day, index) => {
    const share = Number((BigInt(day.micros) * 10_000n) / top) / 10_000
    const height = BigInt(day.micros) > 0n ? Math.max(2, share * plotHeight) : 0
    const [x, y] = [LEFT_MARGIN + index * dayWidth + dayWidth * 0.16, HEIGHT - BOTTOM_MARGIN - height]
    const title = `${formatDay(day.day)}: ${formatMoney(day.micros)}, ${day.calls} calls`
    return html`<g class="bar"><title>${title}</title><rect class="reach" x="${roundToTenth(LEFT_MARGIN + index * dayWidth)}" y="${TOP_MARGIN}" width="${roundToTenth(dayWidth)}" height="${plotHeight}"/><rect class="fill" x="${roundToTenth(x)}" y="${roundToTenth(y)}" width="${roundToTenth(dayWidth * 0.68)}" height="${roundToTenth(height)}" rx="2"/></g>`
  })
  const lines = [0n, 1n, 2n].map(part => {
    const y = roundToTenth(HEIGHT - BOTTOM_MARGIN - (Number(part) / 2) * plotHeight)
    return html`<line class="rule" x1="${LEFT_MARGIN}" x2="${WIDTH}" y1="${y}" y2="${y}"/><text class="tick" x="${LEFT_MARGIN - 8}" y="${y + 4}" text-anchor="end">${formatMoney((top * part) / 2n)}</text>`
  })
  const labelInterval = Math.ceil(days.length / 6)
  const labels = days.map(
    (day, index) =>
      index % labelInterval === 0 &&
      html`<text class="tick name" x="${roundToTenth(LEFT_MARGIN + index * dayWidth)}" y="${HEIGHT - 6}">${formatDay(day.day)}</text>`,
  )
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Spend by day, at most ${formatMoney(maxMicros)} per day">${lines}${bars}${labels}</svg>`
}

/** The next round number at or above the tallest bar: the top of the axis. */
function roundUpToAxis(maxMicros: bigint): bigint {
  let unit = 1_000n
  while (unit * 10n < maxMicros) unit *= 10n
  for (const factor of [2n, 5n, 10n]) if (unit * factor >= maxMicros) return unit * factor
  return unit * 10n
}

function roundToTenth(number: number): number {
  return Math.round(number * 10) / 10
}

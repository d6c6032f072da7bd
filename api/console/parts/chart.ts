import type { Hour } from '../../../sql/admin/today.ts'
import { type Html, html } from '../../pages/parts/html.ts'

const [WIDTH, HEIGHT, TOP, BOTTOM, LEFT] = [720, 200, 14, 24, 84]
const HOURS = 24
const NAMES = ['today', 'yesterday', 'a week ago']

/** Today as bars, and two other days as lines, hour by hour. Every bar has a title with the three values. */
export function renderHourChart(
  title: string,
  days: readonly (readonly Hour[])[],
  measure: (hour: Hour) => bigint,
  format: (value: bigint) => string,
): Html {
  const top = days.flat().reduce((most, hour) => (measure(hour) > most ? measure(hour) : most), 0n)
  if (top === 0n) return html`<p class="empty">Nothing in these days.</p>`
  const width = (WIDTH - LEFT) / HOURS
  const plot = HEIGHT - TOP - BOTTOM
  // In an hour more can be given back than is earned.
  const heightOf = (value: bigint) => Math.max(0, round((Number((value * 10_000n) / top) / 10_000) * plot))
  const [today = [], ...others] = days
  const bars = today.map((hour, index) => {
    const texts = days.map((day, which) => `${NAMES[which]} ${format(day[index] ? measure(day[index]) : 0n)}`)
    const height = heightOf(measure(hour))
    return html`<g class="bar"><title>${index}:00: ${texts.join(', ')}</title><rect class="reach" x="${round(LEFT + index * width)}" y="${TOP}" width="${round(width)}" height="${plot}"/><rect class="fill" x="${round(LEFT + index * width + width * 0.16)}" y="${HEIGHT - BOTTOM - height}" width="${round(width * 0.68)}" height="${height}" rx="2"/></g>`
  })
  const lines = others.map((day, which) => {
    const points = day.map(
      (hour, index) => `${round(LEFT + (index + 0.5) * width)},${round(HEIGHT - BOTTOM - heightOf(measure(hour)))}`,
    )
    return html`<polyline class="line" stroke-dasharray="${which === 0 ? '' : '3 4'}" points="${points.join(' ')}"/>`
  })
  const ticks = [0, 6, 12, 18].map(
    hour => html`<text class="tick name" x="${round(LEFT + hour * width)}" y="${HEIGHT - 6}">${hour}:00</text>`,
  )
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title} by hour, at most ${format(top)}">
<line class="rule" x1="${LEFT}" x2="${WIDTH}" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM}"/><text class="tick" x="${LEFT - 8}" y="${TOP + 8}" text-anchor="end">${format(top)}</text>${bars}${lines}${ticks}</svg>
<p class="dim small">Bars: today. Line: yesterday. Dashes: a week ago.</p>`
}

function round(number: number): number {
  return Math.round(number * 10) / 10
}

import type { SpentDay } from '../../sql/job.ts'
import { type Html, html } from './html.ts'
import { dayName, money } from './words.ts'

const [WIDTH, HEIGHT, HEAD, FOOT, LEFT] = [720, 220, 18, 26, 76]

/** Spend by day as bars, readable without colour and, as a table beside it, without eyes. */
export function spendChart(days: readonly SpentDay[]): Html {
  const most = days.reduce((top, { micros }) => (BigInt(micros) > top ? BigInt(micros) : top), 0n)
  if (most === 0n) return html`<p class="empty">Nothing spent in these ${days.length} days.</p>`
  const top = niceTop(most)
  const step = (WIDTH - LEFT) / days.length
  const room = HEIGHT - FOOT - HEAD
  const bars = days.map((day, index) => {
    const share = Number((BigInt(day.micros) * 10_000n) / top) / 10_000
    const height = BigInt(day.micros) > 0n ? Math.max(2, share * room) : 0
    const [x, y] = [LEFT + index * step + step * 0.16, HEIGHT - FOOT - height]
    const title = `${dayName(day.day)}: ${money(day.micros)}, ${day.calls} calls`
    return html`<g class="bar"><title>${title}</title><rect class="reach" x="${round(LEFT + index * step)}" y="${HEAD}" width="${round(step)}" height="${room}"/><rect class="fill" x="${round(x)}" y="${round(y)}" width="${round(step * 0.68)}" height="${round(height)}" rx="2"/></g>`
  })
  const lines = [0n, 1n, 2n].map(part => {
    const y = round(HEIGHT - FOOT - (Number(part) / 2) * room)
    return html`<line class="rule" x1="${LEFT}" x2="${WIDTH}" y1="${y}" y2="${y}"/><text class="tick" x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${money((top * part) / 2n)}</text>`
  })
  const every = Math.ceil(days.length / 6)
  const names = days.map(
    (day, index) =>
      index % every === 0 &&
      html`<text class="tick name" x="${round(LEFT + index * step)}" y="${HEIGHT - 6}">${dayName(day.day)}</text>`,
  )
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Spend by day, at most ${money(most)} a day">${lines}${bars}${names}</svg>`
}

/** A round number that the tallest bar stays below. */
function niceTop(most: bigint): bigint {
  let unit = 1_000n
  while (unit * 10n < most) unit *= 10n
  for (const factor of [2n, 5n, 10n]) if (unit * factor >= most) return unit * factor
  return unit * 10n
}

function round(number: number): number {
  return Math.round(number * 10) / 10
}

import {
  type Failure,
  type Hour,
  listDoubtfulPayments,
  listFailures,
  listHours,
  listSlowest,
  readTestRevenue,
} from '../../../sql/admin/today.ts'
import { readLaneDepths } from '../../../sql/lane.ts'
import { countSteps } from '../../../sql/step/queue.ts'
import { formatDuration, formatMoney, renderTime } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderNotice } from '../../pages/parts/layout.ts'
import { defineConsolePage } from '../page.ts'
import { renderHourChart } from '../parts/chart.ts'
import { renderConsolePage, renderTable } from '../parts/layout.ts'

const DAY_MS = 86_400_000

export const todayPages = [
  defineConsolePage('GET /', 'read', async ({ session, db }) => {
    const now = new Date()
    const start = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS)
    const shift = (date: Date, days: number) => new Date(date.getTime() - days * DAY_MS)
    const [today, yesterday, lastWeek, tested, failures, slowest, lanes, payments, steps] = await Promise.all([
      listHours(db, start, now),
      listHours(db, shift(start, 1), shift(start, 0)),
      listHours(db, shift(start, 7), shift(start, 6)),
      readTestRevenue(db, start, now),
      listFailures(db, start, now),
      listSlowest(db, start, now),
      readLaneDepths(db),
      listDoubtfulPayments(db),
      countSteps(db),
    ])
    const days = { today, yesterday, lastWeek }
    const content = html`${steps.dead > 0 && renderNotice('bad', html`${steps.dead} dead steps wait for someone to <a href="/steps">run them again</a>.`)}
<section class="figures" aria-label="Figures">${renderFigure('Revenue', days, { sum: sumRevenue, format: formatMoney, beside: tested === 0n ? '' : `, and ${formatMoney(tested)} of test money today` })}${renderFigure('Calls', days, { sum: sumCalls, format: formatCount })}${renderFigure('Failed', days, { sum: sumFailed, format: formatCount })}</section>
<section class="card"><h2>Revenue by hour</h2>${renderHourChart('Revenue', [today, yesterday, lastWeek], hour => hour.revenue_micros, formatMoney)}</section>
<section class="card"><h2>Calls by hour</h2>${renderHourChart('Calls', [today, yesterday, lastWeek], hour => hour.calls, formatCount)}</section>
<section class="card flush"><header class="cap"><h2>Failures by code</h2></header>${renderFailures(failures)}</section>
<section class="card flush"><header class="cap"><h2>Slowest operations</h2></header>${renderTable(
      ['Operation', 'Runs', 'Median', '95 %', 'Longest'],
      slowest.map(
        ({ operation, jobs, median_ms: median, p95_ms: p95, max_ms: max }) =>
          html`<tr><td><a href="/jobs?operation=${operation}">${operation}</a></td><td class="num">${jobs}</td>${[median, p95, max].map(ms => html`<td class="num">${formatDuration(ms)}</td>`)}</tr>`,
      ),
      'Nothing has run today.',
    )}</section>
<section class="card flush"><header class="cap"><h2>Queue by lane</h2><a href="/lanes">Lanes and workers</a></header>${renderTable(
      ['Lane', 'Running', 'Waiting', 'Oldest waits'],
      lanes.map(
        ({ lane, running, waiting, oldest_seconds: oldest }) =>
          html`<tr><td>${lane}</td><td class="num">${running}</td><td class="num">${waiting}</td><td class="num">${oldest ? formatDuration(oldest * 1_000) : ''}</td></tr>`,
      ),
      'No lane has jobs.',
    )}</section>
<section class="card flush"><header class="cap"><h2>Payments in doubt</h2><a href="/payments">Payments</a></header>${renderTable(
      ['State', 'Payments', 'Amount', 'Oldest'],
      payments.map(
        ({ state, chunks, amount_micros: amount, oldest }) =>
          html`<tr><td>${state}</td><td class="num">${chunks}</td><td class="num">${formatMoney(amount)}</td><td class="when">${renderTime(oldest)}</td></tr>`,
      ),
      'Every payment is settled or has failed.',
    )}</section>`
    return renderConsolePage(session, {
      path: '/',
      title: 'Today',
      lead: 'Since midnight UTC, beside yesterday and the same day of last week until the same hour.',
      content,
    })
  }),
]

interface Days {
  today: Hour[]
  yesterday: Hour[]
  lastWeek: Hour[]
}

const sumRevenue = (hours: Hour[]) => hours.reduce((sum, hour) => sum + hour.revenue_micros, 0n)
const sumCalls = (hours: Hour[]) => hours.reduce((sum, hour) => sum + hour.calls, 0n)
const sumFailed = (hours: Hour[]) => hours.reduce((sum, hour) => sum + hour.failed, 0n)

function formatCount(count: bigint): string {
  return count.toLocaleString('en-US')
}

interface Figure {
  sum: (hours: Hour[]) => bigint
  format: (value: bigint) => string
  /** What else is to be known of it. */
  beside?: string
}

/** The other days count until the hour that it is now. */
function renderFigure(title: string, { today, yesterday, lastWeek }: Days, { sum, format, beside = '' }: Figure): Html {
  const until = today.length
  return html`<div class="card figure"><h2>${title}</h2><p class="big">${format(sum(today))}</p><p class="dim">${format(sum(yesterday.slice(0, until)))} yesterday, ${format(sum(lastWeek.slice(0, until)))} a week ago${beside}</p></div>`
}

function renderFailures(failures: readonly Failure[]): Html {
  const lines = failures.map(
    ({ code, operation, jobs }) =>
      html`<tr><td><a href="/jobs?problem=${code}">${code}</a></td><td>${operation}</td><td class="num">${jobs}</td></tr>`,
  )
  return renderTable(['Code', 'Operation', 'Jobs'], lines, 'No call has failed today.')
}

import { type LineType, readStatement, type StatementLine } from '../../sql/ledger.ts'
import { type Html, html } from './html.ts'
import { dashboardPage } from './layout.ts'
import { privatePage } from './page.ts'
import { moment, money, offsetIn, pager, pill } from './words.ts'

const SIZE = 25
const FILTERS: readonly [LineType | '', string][] = [
  ['', 'Everything'],
  ['charge', 'Charges'],
  ['topup', 'Top-ups'],
  ['refund', 'Refunds'],
]

export const ledgerPages = [
  privatePage('GET /dashboard/ledger', async ({ session, query }, floor) => {
    const type = FILTERS.find(([word]) => word !== '' && word === query.type)?.[0] as LineType | undefined
    const offset = offsetIn(query)
    const { accountId } = session.caller
    const lines = await readStatement(floor.db, { accountId, type, limit: SIZE + 1, offset })
    const chips = FILTERS.map(([word, name]) => {
      const href = word ? `/dashboard/ledger?type=${word}` : '/dashboard/ledger'
      return html`<a href="${href}" ${word === (type ?? '') && html`aria-current="true"`}>${name}</a>`
    })
    const content = html`<nav class="chips" aria-label="Filter">${chips}</nav>
<section class="card flush">${lineTable(lines.slice(0, SIZE))}</section>
${pager('/dashboard/ledger', type ? { type } : {}, { offset, size: SIZE, hasMore: lines.length > SIZE })}`
    const lead = 'Every movement of your money, newest first. What fails is released and costs nothing. Times are UTC.'
    return dashboardPage(floor, session, { place: '/dashboard/ledger', title: 'Ledger', lead, content })
  }),
]

export function lineTable(lines: readonly StatementLine[]): Html {
  if (lines.length === 0) return html`<p class="empty">Nothing yet.</p>`
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">State</th><th scope="col" class="num">Amount</th></tr></thead>
<tbody>${lines.map(row)}</tbody></table>`
}

function row({ createdAt, type, serviceKey, status, direction, amountMicros, jobId, asset }: StatementLine): Html {
  const refund = direction === 'debit' ? 'Returned to the payer' : 'Refund'
  const name = serviceKey ?? { topup: 'Top-up', charge: 'Charge', refund }[type]
  const what = jobId ? html`<a href="/dashboard/jobs/${jobId}">${name}</a>` : html`${name}`
  const isCounted = status !== 'released'
  const tone = direction === 'credit' ? 'plus' : isCounted ? '' : 'void'
  return html`<tr><td class="when">${moment(createdAt)}</td><td class="what">${what}${asset && asset !== 'USD' && html` <span class="dim">${asset}</span>`}</td><td class="state">${pill(status)}</td>
<td class="num ${tone}">${direction === 'credit' ? '+' : '−'}${money(amountMicros)}</td></tr>`
}

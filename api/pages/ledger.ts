import { type LineType, readStatement, type StatementLine } from '../../sql/ledger.ts'
import { formatMoney, readOffset, renderPager, renderStatus, renderTime } from './parts/format.ts'
import { type Html, html } from './parts/html.ts'
import { renderDashboardPage } from './parts/layout.ts'
import { definePrivatePage } from './parts/page.ts'

const PAGE_SIZE = 25
const FILTERS: readonly [LineType | '', string][] = [
  ['', 'Everything'],
  ['charge', 'Charges'],
  ['topup', 'Top-ups'],
  ['refund', 'Refunds'],
]

export const ledgerPages = [
  definePrivatePage('GET /dashboard/ledger', async ({ session, query }, context) => {
    const type = FILTERS.find(([value]) => value !== '' && value === query.type)?.[0] as LineType | undefined
    const offset = readOffset(query)
    const { accountId } = session.caller
    const lines = await readStatement(context.db, { accountId, type, limit: PAGE_SIZE + 1, offset })
    const chips = FILTERS.map(([value, name]) => {
      const href = value ? `/dashboard/ledger?type=${value}` : '/dashboard/ledger'
      return html`<a href="${href}" ${value === (type ?? '') && html`aria-current="true"`}>${name}</a>`
    })
    const content = html`<nav class="chips" aria-label="Filter">${chips}</nav>
<section class="card flush">${renderLineTable(lines.slice(0, PAGE_SIZE))}</section>
${renderPager('/dashboard/ledger', type ? { type } : {}, { offset, size: PAGE_SIZE, hasMore: lines.length > PAGE_SIZE })}`
    const lead =
      'Every movement on your balance, newest first. A failed call is released and costs nothing. Times are in UTC.'
    return renderDashboardPage(context, session, { path: '/dashboard/ledger', title: 'Ledger', lead, content })
  }),
]

export function renderLineTable(lines: readonly StatementLine[]): Html {
  if (lines.length === 0) return html`<p class="empty">Nothing yet.</p>`
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">State</th><th scope="col" class="num">Amount</th></tr></thead>
<tbody>${lines.map(renderLine)}</tbody></table>`
}

function renderLine({
  createdAt,
  type,
  serviceKey,
  status,
  direction,
  amountMicros,
  jobId,
  asset,
}: StatementLine): Html {
  const refund = direction === 'debit' ? 'Returned to the payer' : 'Refund'
  const name = serviceKey ?? { topup: 'Top-up', charge: 'Charge', refund }[type]
  const label = jobId ? html`<a href="/dashboard/jobs/${jobId}">${name}</a>` : html`${name}`
  const isCounted = status !== 'released'
  const tone = direction === 'credit' ? 'plus' : isCounted ? '' : 'void'
  return html`<tr><td class="when">${renderTime(createdAt)}</td><td class="what">${label}${asset && asset !== 'USD' && html` <span class="dim">${asset}</span>`}</td><td class="state">${renderStatus(status)}</td>
<td class="num ${tone}">${direction === 'credit' ? '+' : '−'}${formatMoney(amountMicros)}</td></tr>`
}

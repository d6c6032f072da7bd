import { Readable } from 'node:stream'
import { listKeyNames } from '../../sql/key.ts'
import { type LedgerFilter, type LineType, readStatement, type StatementLine } from '../../sql/ledger.ts'
import type { ApiContext } from '../context.ts'
import { formatLedger } from './parts/csv.ts'
import type { Draft } from './parts/field.ts'
import { readCallFilter, renderCallFilter, toQuery } from './parts/filter.ts'
import { formatMoney, readOffset, renderPager, renderStatus, renderTime } from './parts/format.ts'
import { type Html, html } from './parts/html.ts'
import { renderDashboardPage } from './parts/layout.ts'
import { definePrivatePage } from './parts/page.ts'

const PAGE_SIZE = 25
const CSV_LINES_AT_ONCE = 1_000
const TYPES: readonly [LineType | '', string][] = [
  ['', 'Everything'],
  ['charge', 'Charges'],
  ['topup', 'Top-ups'],
  ['refund', 'Refunds'],
  ['share', 'Shares'],
]

export const ledgerPages = [
  definePrivatePage('GET /dashboard/ledger', async ({ session, query }, context) => {
    const { filter, draft } = readFilter(query)
    const { type, ...others } = filter
    const offset = readOffset(query)
    const { accountId } = session.caller
    const hasFault = Object.keys(draft.faults).length > 0
    const [lines, keys] = await Promise.all([
      hasFault ? [] : readStatement(context.readDb, { accountId, ...filter, limit: PAGE_SIZE + 1, offset }),
      listKeyNames(context.db, accountId),
    ])
    const content = html`${renderTypes(filter)}${renderCallFilter(context, { path: '/dashboard/ledger', filter: others, kept: { type }, draft, keys })}
<section class="card flush">${renderLineTable(lines.slice(0, PAGE_SIZE), isFiltered(filter) ? 'Nothing matches this filter.' : 'Nothing yet.')}</section>
${renderPager('/dashboard/ledger', toQuery(filter), { offset, size: PAGE_SIZE, hasMore: lines.length > PAGE_SIZE })}
${lines.length > 0 && html`<p><a class="button quiet small" href="/dashboard/ledger.csv?${new URLSearchParams(toQuery(filter)).toString()}">Download CSV</a></p>`}`
    const lead =
      'Every movement on your balance, newest first. A failed call is released and costs nothing. Times are in UTC.'
    return renderDashboardPage(context, session, { path: '/dashboard/ledger', title: 'Ledger', lead, content })
  }),

  definePrivatePage('GET /dashboard/ledger.csv', ({ session, query }, context) => {
    const { filter, draft } = readFilter(query)
    if (Object.keys(draft.faults).length > 0) return { redirectTo: `/dashboard/ledger?${new URLSearchParams(query)}` }
    const lines = readAll(context, { accountId: session.caller.accountId, ...filter })
    const days = [filter.from, filter.to].filter(Boolean).join('-to-')
    return {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="ledger${days && `-${days}`}.csv"`,
      },
      body: Readable.from(formatLedger(lines)),
    }
  }),
]

/** All lines, read in portions from where the last one ended, so that a long ledger needs little memory. */
async function* readAll(
  { db }: ApiContext,
  query: LedgerFilter & { accountId: string },
): AsyncGenerator<StatementLine[]> {
  let before: string | undefined
  do {
    const lines = await readStatement(db, { ...query, before, limit: CSV_LINES_AT_ONCE })
    yield lines
    before = lines.length === CSV_LINES_AT_ONCE ? lines.at(-1)!.id : undefined
  } while (before)
}

function readFilter(query: Record<string, string>): { filter: LedgerFilter; draft: Draft } {
  const { filter, draft } = readCallFilter(query)
  const type = TYPES.find(([value]) => value !== '' && value === query.type)?.[0] as LineType | undefined
  return { filter: { type, ...filter }, draft }
}

function isFiltered(filter: LedgerFilter): boolean {
  return Object.keys(toQuery(filter)).length > 0
}

function renderTypes(filter: LedgerFilter): Html {
  const { type: chosen, ...rest } = toQuery(filter)
  const chips = TYPES.map(([value, name]) => {
    const query = new URLSearchParams(value ? { ...rest, type: value } : rest).toString()
    return html`<a href="/dashboard/ledger${query && `?${query}`}" ${value === (chosen ?? '') && html`aria-current="true"`}>${name}</a>`
  })
  return html`<nav class="chips" aria-label="Kind">${chips}</nav>`
}

export function renderLineTable(lines: readonly StatementLine[], emptyText = 'Nothing yet.'): Html {
  if (lines.length === 0) return html`<p class="empty">${emptyText}</p>`
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">State</th><th scope="col" class="num">Amount</th></tr></thead>
<tbody>${lines.map(renderLine)}</tbody></table>`
}

function renderLine(line: StatementLine): Html {
  const { createdAt, type, serviceKey, status, direction, amountMicros, jobId, asset } = line
  const refund = direction === 'debit' ? 'Returned to the payer' : 'Refund'
  const share = direction === 'debit' ? 'Returned share' : 'Share'
  const kind = { topup: 'Top-up', charge: 'Charge', refund, share }[type]
  const name = type === 'share' ? `${share} of ${serviceKey}` : (serviceKey ?? kind)
  const label = jobId ? html`<a href="/dashboard/jobs/${jobId}">${name}</a>` : html`${name}`
  const isCounted = status !== 'released'
  const tone = direction === 'credit' ? 'plus' : isCounted ? '' : 'void'
  return html`<tr><td class="when">${renderTime(createdAt)}</td><td class="what">${label}${asset && asset !== 'USD' && html` <span class="dim">${asset}</span>`}</td><td class="state">${renderStatus(status)}</td>
<td class="num ${tone}">${direction === 'credit' ? '+' : '−'}${formatMoney(amountMicros)}</td></tr>`
}

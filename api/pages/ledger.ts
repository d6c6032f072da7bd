import { Readable } from 'node:stream'
import { listKeyNames } from '../../sql/key.ts'
import { type LedgerFilter, type LineType, readStatement, type StatementLine } from '../../sql/ledger.ts'
import type { ApiContext } from '../context.ts'
import { isDay } from '../routes/account/schema.ts'
import { formatLedger } from './parts/csv.ts'
import { type Draft, renderField, renderSelect } from './parts/field.ts'
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
]

export const ledgerPages = [
  definePrivatePage('GET /dashboard/ledger', async ({ session, query }, context) => {
    const { filter, draft } = readFilter(query)
    const offset = readOffset(query)
    const { accountId } = session.caller
    const hasFault = Object.keys(draft.faults).length > 0
    const [lines, keys] = await Promise.all([
      hasFault ? [] : readStatement(context.db, { accountId, ...filter, limit: PAGE_SIZE + 1, offset }),
      listKeyNames(context.db, accountId),
    ])
    const content = html`${renderTypes(filter)}${renderFilter(context, filter, draft, keys)}
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
  const faults: Record<string, string> = {}
  const readDay = (name: 'from' | 'to') => {
    const day = query[name]?.trim()
    if (day && !isDay(day)) faults[name] = 'Enter a day, such as 2026-01-31.'
    return day || undefined
  }
  const [from, to] = [readDay('from'), readDay('to')]
  if (from && to && from > to && !faults.from && !faults.to) faults.to = 'The last day is before the first.'
  const type = TYPES.find(([value]) => value !== '' && value === query.type)?.[0] as LineType | undefined
  const operation = /^[\w.-]{1,100}$/.exec(query.operation?.trim() ?? '')?.[0]
  if (query.operation?.trim() && !operation) faults.operation = 'Enter the name of an operation, such as pdf.merge.'
  const key = /^\w{1,64}$/.exec(query.key ?? '')?.[0]
  return { filter: { type, from, to, operation, key }, draft: { values: query, faults } }
}

/** The filter as a query string has it: without what is not set. */
function toQuery(filter: LedgerFilter): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).filter((pair): pair is [string, string] => pair[1] !== undefined))
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

function renderFilter(
  { catalog }: ApiContext,
  filter: LedgerFilter,
  draft: Draft,
  keys: Awaited<ReturnType<typeof listKeyNames>>,
): Html {
  const { type, ...others } = filter
  const isOpen = isFiltered(others) || Object.keys(draft.faults).length > 0
  const names = catalog.entries.filter(({ price }) => price).map(({ name }) => html`<option value="${name}"></option>`)
  const options = keys.map(({ prefix, name, isValid }) => {
    const title = name ? `${name} (${prefix}…)` : `${prefix}…`
    return [prefix, isValid ? title : `${title}, ended`] as const
  })
  const day = html`type="date" min="2000-01-01"`
  const operation = html`list="operations" autocomplete="off" placeholder="all"`
  return html`<details class="filter" ${isOpen && html`open`}><summary>Filter</summary>
<form action="/dashboard/ledger" class="limits">${type && html`<input type="hidden" name="type" value="${type}">`}
${renderField({ id: 'from', name: 'from', label: 'From', attributes: day }, draft)}${renderField({ id: 'to', name: 'to', label: 'To', attributes: day }, draft)}
${renderField({ id: 'operation', name: 'operation', label: 'Operation', attributes: operation }, draft)}<datalist id="operations">${names}</datalist>
${renderSelect({ id: 'key', name: 'key', label: 'API key' }, [['', 'all'], ...options], filter.key)}
<div class="row"><button class="button small" type="submit">Apply</button>${isOpen && html`<a href="/dashboard/ledger">Clear</a>`}</div></form></details>`
}

export function renderLineTable(lines: readonly StatementLine[], emptyText = 'Nothing yet.'): Html {
  if (lines.length === 0) return html`<p class="empty">${emptyText}</p>`
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">State</th><th scope="col" class="num">Amount</th></tr></thead>
<tbody>${lines.map(renderLine)}</tbody></table>`
}

function renderLine(line: StatementLine): Html {
  const { createdAt, type, serviceKey, status, direction, amountMicros, jobId, asset } = line
  const refund = direction === 'debit' ? 'Returned to the payer' : 'Refund'
  const name = serviceKey ?? { topup: 'Top-up', charge: 'Charge', refund }[type]
  const label = jobId ? html`<a href="/dashboard/jobs/${jobId}">${name}</a>` : html`${name}`
  const isCounted = status !== 'released'
  const tone = direction === 'credit' ? 'plus' : isCounted ? '' : 'void'
  return html`<tr><td class="when">${renderTime(createdAt)}</td><td class="what">${label}${asset && asset !== 'USD' && html` <span class="dim">${asset}</span>`}</td><td class="state">${renderStatus(status)}</td>
<td class="num ${tone}">${direction === 'credit' ? '+' : '−'}${formatMoney(amountMicros)}</td></tr>`
}

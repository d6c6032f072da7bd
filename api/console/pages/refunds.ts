import { isUuid, Problem } from '#kit'
import { measureRefund, type RefundRange, refundRange } from '../../../sql/admin/jobs.ts'
import { renderField } from '../../pages/parts/field.ts'
import { formatMoney } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderNotice } from '../../pages/parts/layout.ts'
import { defineConsolePage } from '../page.ts'
import { readMoment, readReason } from '../parts/form.ts'
import { renderAct, renderConsolePage } from '../parts/layout.ts'

type Fields = Record<'account' | 'operation' | 'from' | 'to', string>

export const refundPages = [
  defineConsolePage('GET /refunds', 'full', async ({ session, query, db }) => {
    const fields = readFields(name => query[name])
    const isAsked = fields.from !== '' && fields.to !== ''
    const due = isAsked ? await measureRefund(db, readRange(fields)) : undefined
    const hidden = Object.entries(fields).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )
    const content = html`${query.done !== undefined && renderNotice('good', `${formatMoney(BigInt(query.done))} were given back.`)}
<section class="card">${renderForm(fields)}</section>
${due && (due.jobs === 0n ? renderNotice('plain', 'No call in this time was charged.') : html`<section class="card stack"><h2>${due.jobs} calls, ${formatMoney(due.amount_micros)}</h2>${renderAct(session, { action: '/refunds', label: `Give ${formatMoney(due.amount_micros)} back`, fields: html`${hidden}<input type="hidden" name="amount" value="${due.amount_micros}">` })}</section>`)}`
    return renderConsolePage(session, {
      ...{ path: '/refunds', title: 'Refunds', content },
      lead: 'Gives back what all calls of an account, of an operation or of both were charged within some time.',
    })
  }),

  defineConsolePage('POST /refunds', 'full', async ({ form, db }) => {
    const amount = form.get('amount') ?? ''
    if (!/^\d{1,18}$/.test(amount)) throw new Problem('INVALID_PARAM', { field: 'amount' })
    await refundRange(db, readRange(readFields(name => form.get(name) ?? undefined)), BigInt(amount), readReason(form))
    return { redirectTo: `/refunds?done=${amount}` }
  }),
]

function readFields(read: (name: string) => string | undefined): Fields {
  const text = (name: string) => (read(name) ?? '').trim()
  return { account: text('account'), operation: text('operation'), from: text('from'), to: text('to') }
}

function readRange({ account, operation, from, to }: Fields): RefundRange {
  if (account !== '' && !isUuid(account))
    throw new Problem('INVALID_PARAM', { field: 'account', reason: 'An account is named by its id.' })
  const [start, end] = [readMoment(from, 'from'), readMoment(to, 'to')]
  if (!start || !end) throw new Problem('MISSING_FIELD', { field: 'from' })
  return { account: account || undefined, operation: operation || undefined, from: start, to: end }
}

function renderForm(values: Fields): Html {
  const draft = { values, faults: {} }
  const field = (name: string, label: string, attributes: Html) =>
    renderField({ id: name, name, label, attributes }, draft)
  const moment = html`type="datetime-local" required`
  return html`<form action="/refunds" class="limits">${field('account', 'Account', html`maxlength="36"`)}${field('operation', 'Operation', html`maxlength="100"`)}${field('from', 'From (UTC)', moment)}${field('to', 'Until (UTC)', moment)}<button class="button small" type="submit">Look</button></form>`
}

import { isLane, isUuid, Problem } from '#kit'
import {
  type AdminJob,
  cancelByOperator,
  findJob,
  type JobSearch,
  refundByOperator,
  retryByOperator,
  searchJobs,
} from '../../../sql/admin/jobs.ts'
import type { JobStatus } from '../../../sql/call.ts'
import { renderField, renderSelect } from '../../pages/parts/field.ts'
import {
  formatDuration,
  formatLabel,
  formatMoney,
  readOffset,
  renderPager,
  renderStatus,
  renderTime,
} from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { type ConsoleRequest, defineConsolePage, hasRole } from '../page.ts'
import { readAmount, readMoment, readReason } from '../parts/form.ts'
import { renderAccount, renderJobTable } from '../parts/jobs.ts'
import { renderAct, renderConsolePage } from '../parts/layout.ts'

const PAGE = 50
const STATUSES: readonly JobStatus[] = ['submitted', 'running', 'succeeded', 'failed', 'expired']

export const jobPages = [
  defineConsolePage('GET /jobs', 'read', async ({ session, query, db }) => {
    if (isUuid(query.id ?? '')) return { redirectTo: `/jobs/${query.id}` }
    const offset = readOffset(query)
    const found = await searchJobs(db, readSearch(query), { first: PAGE + 1, offset })
    const { offset: _offset, ...kept } = query
    const content = html`${renderSearch(query)}<section class="card flush">${renderJobTable(found.slice(0, PAGE))}</section>
${renderPager('/jobs', kept, { offset, size: PAGE, hasMore: found.length > PAGE })}`
    return renderConsolePage(session, { path: '/jobs', title: 'Jobs', content })
  }),

  defineConsolePage('GET /jobs/{id}', 'read', async ({ session, params, db }) => {
    const job = await findJob(db, requireId(params.id!))
    const content = html`<section class="card"><dl class="facts">${renderFacts(job)}</dl></section>
${job.problem && html`<section class="card failure"><p class="eyebrow">${job.problem.code}</p><pre tabindex="0" aria-label="Hints">${JSON.stringify(job.problem.hints ?? {}, null, 2)}</pre></section>`}
${renderActs(session, job)}`
    return renderConsolePage(session, { path: '/jobs', title: job.service_key, lead: job.id, content })
  }),

  defineConsolePage('POST /jobs/{id}/cancel', 'support', async ({ params, form, db }) => {
    await cancelByOperator(db, requireId(params.id!), readReason(form))
    return { redirectTo: `/jobs/${params.id}` }
  }),
  defineConsolePage('POST /jobs/{id}/retry', 'support', async ({ params, db }) => {
    await retryByOperator(db, requireId(params.id!))
    return { redirectTo: `/jobs/${params.id}` }
  }),
  defineConsolePage('POST /jobs/{id}/refund', 'support', async ({ params, form, db }) => {
    const micros = form.get('amount')?.trim() ? readAmount(form, 'amount') : undefined
    await refundByOperator(db, requireId(params.id!), micros, readReason(form))
    return { redirectTo: `/jobs/${params.id}` }
  }),
]

function requireId(id: string): string {
  if (!isUuid(id)) throw new Problem('NOT_FOUND')
  return id
}

function readSearch(query: Record<string, string>): JobSearch {
  const text = (name: string) => query[name]?.trim() || undefined
  const status = STATUSES.find(each => each === query.status)
  const account = text('account')
  if (account !== undefined && !isUuid(account))
    throw new Problem('INVALID_PARAM', { field: 'account', reason: 'An account is named by its id.' })
  const lane = text('lane')
  return {
    ...{ account, status, operation: text('operation'), problem: text('problem') },
    lane: lane !== undefined && isLane(lane) ? lane : undefined,
    from: readMoment(text('from'), 'from'),
    to: readMoment(text('to'), 'to'),
  }
}

function renderSearch(query: Record<string, string>): Html {
  const draft = { values: query, faults: {} }
  const field = (name: string, label: string, attributes = html`maxlength="100"`) =>
    renderField({ id: name, name, label, attributes }, draft)
  const moment = html`type="datetime-local"`
  return html`<form action="/jobs" class="limits">${field('id', 'Job')}${field('account', 'Account')}${field('operation', 'Operation')}${field('problem', 'Problem')}
${renderSelect({ id: 'status', name: 'status', label: 'Status' }, [['', 'all'], ...STATUSES.map(each => [each, each] as const)], query.status)}
${field('from', 'From (UTC)', moment)}${field('to', 'Until (UTC)', moment)}<button class="button small" type="submit">Search</button></form>`
}

function renderFacts(job: AdminJob): Html {
  const facts: [name: string, value: Html | string | number | null | undefined | false][] = [
    ['account', renderAccount(job.account_id)],
    ['status', renderStatus(job.status)],
    ['created', renderTime(job.created_at)],
    ['waited', job.wait_ms === null ? null : formatDuration(job.wait_ms)],
    ['ran', job.run_ms === null ? null : formatDuration(job.run_ms)],
    ['ends at the latest', job.deadline_at && renderTime(job.deadline_at)],
    ['lane', job.lane],
    ['attempts', `${job.attempt}, ${job.lost} lost with their worker, ${job.crashed} crashed`],
    ['worker', job.worker_id],
    ['key', job.key_prefix],
    ['idempotencyKey', job.idempotency_key],
    ['held', formatMoney(job.held_micros)],
    ['charged', formatMoney(job.charged_micros)],
    ['given back', formatMoney(job.refunded_micros)],
    ['progress', job.progress ? JSON.stringify(job.progress) : null],
  ]
  return html`${facts.map(([name, value]) => value !== null && value !== undefined && html`<dt>${formatLabel(name)}</dt><dd>${value}</dd>`)}`
}

function renderActs(session: ConsoleRequest['session'], job: AdminJob): Html {
  if (!hasRole(session, 'support')) return html``
  const isOpen = job.status === 'submitted' || job.status === 'running'
  const action = `/jobs/${job.id}`
  const amount = html`<div class="field"><label for="amount">Dollars; empty for all</label><input id="amount" name="amount" inputmode="decimal"></div>`
  return html`<section class="card stack"><h2>Act</h2>
${job.status === 'submitted' && renderAct(session, { action: `${action}/retry`, label: 'Start now', needsReason: false })}
${isOpen && renderAct(session, { action: `${action}/cancel`, label: 'Cancel', isDangerous: true })}
${job.charged_micros > job.refunded_micros && renderAct(session, { action: `${action}/refund`, label: 'Refund', fields: amount })}
${!isOpen && job.charged_micros <= job.refunded_micros && html`<p class="dim">There is nothing to do about this job.</p>`}</section>`
}

import { isUuid, Problem } from '#kit'
import { type JobStatus, listJobs, readJob, type Ticket } from '../../sql/job.ts'
import { JOB_STATUSES, serializeJob } from '../routes/jobs/schema.ts'
import { formatMoney, readOffset, renderPager, renderStatus, renderTime } from './parts/format.ts'
import { type Html, html } from './parts/html.ts'
import { renderCode, renderDashboardPage, renderNotice } from './parts/layout.ts'
import { definePrivatePage } from './parts/page.ts'

const PAGE_SIZE = 25
const MAX_RESULT_CHARS = 20_000

export const jobPages = [
  definePrivatePage('GET /dashboard/jobs', async ({ session, query }, context) => {
    const status = JOB_STATUSES.find(value => value === query.status) as JobStatus | undefined
    const offset = readOffset(query)
    const account = session.caller.accountId
    const jobs = await listJobs(context.db, { account, status: status ?? null, limit: PAGE_SIZE + 1, offset })
    const chips = ['', ...JOB_STATUSES].map(value => {
      const href = value ? `/dashboard/jobs?status=${value}` : '/dashboard/jobs'
      return html`<a href="${href}" ${value === (status ?? '') && html`aria-current="true"`}>${value || 'all'}</a>`
    })
    const content = html`<nav class="chips" aria-label="Filter">${chips}</nav>
<section class="card flush">${renderJobTable(jobs.slice(0, PAGE_SIZE))}</section>
${renderPager('/dashboard/jobs', status ? { status } : {}, { offset, size: PAGE_SIZE, hasMore: jobs.length > PAGE_SIZE })}`
    const lead = 'Every call is a job, including quick ones. Results are kept for a week. Times are in UTC.'
    return renderDashboardPage(context, session, { path: '/dashboard/jobs', title: 'Jobs', lead, content })
  }),

  definePrivatePage('GET /dashboard/jobs/{id}', async ({ session, params }, context) => {
    const job = isUuid(params.id!) ? await readJob(context.db, session.caller.accountId, params.id!) : undefined
    if (!job) throw new Problem('NOT_FOUND')
    const { result, error } = (await serializeJob(context, job)) as {
      result?: unknown
      error?: { error: string; code: string }
    }
    const { ticket } = job
    const content = html`<p><a href="/dashboard/jobs">← All jobs</a></p>
${error && renderNotice('bad', html`<strong>${error.code}</strong> ${error.error}`)}
<section class="card"><dl class="facts">${renderFacts(ticket)}</dl></section>
${result !== undefined && html`<section class="card"><h2>Result</h2>${renderCode(formatResult(result), 'The result')}</section>`}`
    return renderDashboardPage(context, session, { path: '/dashboard/jobs', title: ticket.serviceKey, content })
  }),
]

function renderJobTable(jobs: readonly Ticket[]): Html {
  if (jobs.length === 0) return html`<p class="empty">No jobs found.</p>`
  const rows = jobs.map(
    ({ id, serviceKey, status, createdAt, actualMicros, ceilingMicros }) =>
      html`<tr><td class="when">${renderTime(createdAt)}</td><td class="what"><a href="/dashboard/jobs/${id}">${serviceKey}</a></td><td class="state">${renderStatus(status)}</td><td class="num">${formatMoney(actualMicros ?? ceilingMicros)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">Operation</th><th scope="col">State</th><th scope="col" class="num">Price</th></tr></thead><tbody>${rows}</tbody></table>`
}

function renderFacts({
  id,
  status,
  createdAt,
  startedAt,
  finishedAt,
  ceilingMicros,
  actualMicros,
  progress,
}: Ticket): Html {
  const renderFact = (name: string, content: Html | string | undefined) =>
    content !== undefined && html`<dt>${name}</dt><dd>${content}</dd>`
  return html`${renderFact('State', renderStatus(status))}${renderFact('Job', html`<code>${id}</code>`)}${renderFact('Created', renderTime(createdAt))}
${renderFact('Started', startedAt && renderTime(startedAt))}${renderFact('Ended', finishedAt && renderTime(finishedAt))}
${renderFact('Progress', progress && `${progress.done} of ${progress.total} ${progress.unit}`)}
${renderFact('Held', formatMoney(ceilingMicros))}${renderFact('Charged', actualMicros && formatMoney(actualMicros))}`
}

function formatResult(result: unknown): string {
  const text = JSON.stringify(result, null, 2)
  return text.length > MAX_RESULT_CHARS
    ? `${text.slice(0, MAX_RESULT_CHARS)}\n… ${text.length - MAX_RESULT_CHARS} more characters`
    : text
}

import { type JobStatus, type ListedJob, listJobs } from '../../../sql/job.ts'
import { listKeyNames } from '../../../sql/key.ts'
import { JOB_STATUSES } from '../../routes/jobs/schema.ts'
import { readCallFilter, renderCallFilter, toQuery } from '../parts/filter.ts'
import { formatMoney, readOffset, renderPager, renderStatus, renderTime } from '../parts/format.ts'
import { type Html, html } from '../parts/html.ts'
import { renderDashboardPage } from '../parts/layout.ts'
import { definePrivatePage } from '../parts/page.ts'
import { jobDetailPages } from './details.ts'

const PATH = '/dashboard/jobs'
const PAGE_SIZE = 25

export const jobPages = [
  definePrivatePage(`GET ${PATH}`, async ({ session, query }, context) => {
    const status = JOB_STATUSES.find(value => value === query.status) as JobStatus | undefined
    const { filter, draft } = readCallFilter(query)
    const offset = readOffset(query)
    const account = session.caller.accountId
    const hasFault = Object.keys(draft.faults).length > 0
    const [jobs, keys] = await Promise.all([
      hasFault ? [] : listJobs(context.readDb, { account, status, ...filter, limit: PAGE_SIZE + 1, offset }),
      listKeyNames(context.db, account),
    ])
    const content = html`${renderStatuses(status, toQuery(filter))}${renderCallFilter(context, { path: PATH, filter, kept: { status }, draft, keys })}
<section class="card flush">${renderJobTable(jobs.slice(0, PAGE_SIZE))}</section>
${renderPager(PATH, toQuery({ status, ...filter }), { offset, size: PAGE_SIZE, hasMore: jobs.length > PAGE_SIZE })}`
    const lead = 'Every call is a job, including quick ones. Results are kept for a week. Times are in UTC.'
    return renderDashboardPage(context, session, { path: PATH, title: 'Jobs', lead, content })
  }),
  ...jobDetailPages,
]

function renderStatuses(chosen: JobStatus | undefined, filter: Record<string, string>): Html {
  const chips = ['', ...JOB_STATUSES].map(value => {
    const query = new URLSearchParams(value ? { ...filter, status: value } : filter).toString()
    return html`<a href="${PATH}${query && `?${query}`}" ${value === (chosen ?? '') && html`aria-current="true"`}>${value || 'all'}</a>`
  })
  return html`<nav class="chips" aria-label="State">${chips}</nav>`
}

function renderJobTable(jobs: readonly ListedJob[]): Html {
  if (jobs.length === 0) return html`<p class="empty">No jobs found.</p>`
  const rows = jobs.map(
    ({ id, serviceKey, status, createdAt, actualMicros, ceilingMicros, durationMs, keyPrefix }) =>
      html`<tr><td class="when">${renderTime(createdAt)}</td><td class="what"><a href="/dashboard/jobs/${id}">${serviceKey}</a> <span class="dim small">${describeRun(durationMs, keyPrefix)}</span></td><td class="state">${renderStatus(status)}</td><td class="num">${formatMoney(actualMicros ?? ceilingMicros)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">Operation</th><th scope="col">State</th><th scope="col" class="num">Price</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** How long it took, and the key that made the call. */
function describeRun(durationMs: number | undefined, keyPrefix: string | undefined): string {
  const took = durationMs && (durationMs < 1_000 ? `${durationMs} ms` : `${(durationMs / 1_000).toFixed(1)} s`)
  return [took, keyPrefix && `${keyPrefix}…`].filter(Boolean).join(', ')
}

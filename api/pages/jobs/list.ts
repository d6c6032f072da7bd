import { type JobStatus, listJobs, type Ticket } from '../../../sql/job.ts'
import { JOB_STATUSES } from '../../routes/jobs/schema.ts'
import { formatMoney, readOffset, renderPager, renderStatus, renderTime } from '../parts/format.ts'
import { type Html, html } from '../parts/html.ts'
import { renderDashboardPage } from '../parts/layout.ts'
import { definePrivatePage } from '../parts/page.ts'
import { jobDetailPages } from './details.ts'

const PAGE_SIZE = 25

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
  ...jobDetailPages,
]

function renderJobTable(jobs: readonly Ticket[]): Html {
  if (jobs.length === 0) return html`<p class="empty">No jobs found.</p>`
  const rows = jobs.map(
    ({ id, serviceKey, status, createdAt, actualMicros, ceilingMicros }) =>
      html`<tr><td class="when">${renderTime(createdAt)}</td><td class="what"><a href="/dashboard/jobs/${id}">${serviceKey}</a></td><td class="state">${renderStatus(status)}</td><td class="num">${formatMoney(actualMicros ?? ceilingMicros)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">Operation</th><th scope="col">State</th><th scope="col" class="num">Price</th></tr></thead><tbody>${rows}</tbody></table>`
}

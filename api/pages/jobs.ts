import { isUuid, Problem } from '#kit'
import { type JobStatus, listJobs, readJob, type Ticket } from '../../sql/job.ts'
import { JOB_STATUSES, showJob } from '../routes/jobs/shape.ts'
import { type Html, html } from './html.ts'
import { code, dashboardPage, note } from './layout.ts'
import { privatePage } from './page.ts'
import { moment, money, offsetIn, pager, pill } from './words.ts'

const SIZE = 25
const MOST_SHOWN = 20_000

export const jobPages = [
  privatePage('GET /dashboard/jobs', async ({ session, query }, floor) => {
    const status = JOB_STATUSES.find(word => word === query.status) as JobStatus | undefined
    const offset = offsetIn(query)
    const account = session.caller.accountId
    const jobs = await listJobs(floor.db, { account, status: status ?? null, limit: SIZE + 1, offset })
    const chips = ['', ...JOB_STATUSES].map(word => {
      const href = word ? `/dashboard/jobs?status=${word}` : '/dashboard/jobs'
      return html`<a href="${href}" ${word === (status ?? '') && html`aria-current="true"`}>${word || 'all'}</a>`
    })
    const content = html`<nav class="chips" aria-label="Filter">${chips}</nav>
<section class="card flush">${jobTable(jobs.slice(0, SIZE))}</section>
${pager('/dashboard/jobs', status ? { status } : {}, { offset, size: SIZE, hasMore: jobs.length > SIZE })}`
    const lead = 'Every call is a job, quick ones too. Results are kept for a week. Times are UTC.'
    return dashboardPage(floor, session, { place: '/dashboard/jobs', title: 'Jobs', lead, content })
  }),

  privatePage('GET /dashboard/jobs/{id}', async ({ session, params }, floor) => {
    const job = isUuid(params.id!) ? await readJob(floor.db, session.caller.accountId, params.id!) : undefined
    if (!job) throw new Problem('NOT_FOUND')
    const { result, error } = (await showJob(floor, job)) as {
      result?: unknown
      error?: { error: string; code: string }
    }
    const { ticket } = job
    const content = html`<p><a href="/dashboard/jobs">← All jobs</a></p>
${error && note('bad', html`<strong>${error.code}</strong> ${error.error}`)}
<section class="card"><dl class="facts">${facts(ticket)}</dl></section>
${result !== undefined && html`<section class="card"><h2>Result</h2>${code(shortened(result), 'The result')}</section>`}`
    return dashboardPage(floor, session, { place: '/dashboard/jobs', title: ticket.serviceKey, content })
  }),
]

function jobTable(jobs: readonly Ticket[]): Html {
  if (jobs.length === 0) return html`<p class="empty">No jobs here.</p>`
  const rows = jobs.map(
    ({ id, serviceKey, status, createdAt, actualMicros, ceilingMicros }) =>
      html`<tr><td class="when">${moment(createdAt)}</td><td class="what"><a href="/dashboard/jobs/${id}">${serviceKey}</a></td><td class="state">${pill(status)}</td><td class="num">${money(actualMicros ?? ceilingMicros)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">Operation</th><th scope="col">State</th><th scope="col" class="num">Price</th></tr></thead><tbody>${rows}</tbody></table>`
}

function facts({ id, status, createdAt, startedAt, finishedAt, ceilingMicros, actualMicros, progress }: Ticket): Html {
  const fact = (name: string, what: Html | string | undefined) =>
    what !== undefined && html`<dt>${name}</dt><dd>${what}</dd>`
  return html`${fact('State', pill(status))}${fact('Job', html`<code>${id}</code>`)}${fact('Asked', moment(createdAt))}
${fact('Begun', startedAt && moment(startedAt))}${fact('Ended', finishedAt && moment(finishedAt))}
${fact('Progress', progress && `${progress.done} of ${progress.total} ${progress.unit}`)}
${fact('Held', money(ceilingMicros))}${fact('Charged', actualMicros && money(actualMicros))}`
}

function shortened(result: unknown): string {
  const text = JSON.stringify(result, null, 2)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n… ${text.length - MOST_SHOWN} more letters` : text
}

import { type Hints, isUuid, Problem } from '#kit'
import { type JobRecord, readJob, type Ticket } from '../../../sql/job.ts'
import type { ApiContext } from '../../context.ts'
import { isUnfinished, serializeJob } from '../../routes/jobs/schema.ts'
import { formatDuration, formatLabel, formatMoney, renderStatus, renderTime } from '../parts/format.ts'
import { type Html, html } from '../parts/html.ts'
import { renderDashboardPage } from '../parts/layout.ts'
import { download, findFile, SANDBOX } from '../parts/outputs/files.ts'
import { sendPreview } from '../parts/outputs/preview.ts'
import { renderResult } from '../parts/outputs/result.ts'
import { definePrivatePage } from '../parts/page.ts'

export const jobDetailPages = [
  definePrivatePage('GET /dashboard/jobs/{id}', async ({ session, params }, context) => {
    const { accountId } = session.caller
    const job = await requireJob(context, accountId, params.id!)
    const { ticket, result } = job
    const hasResult = result !== null && result !== undefined
    const content = html`<p><a href="/dashboard/jobs">← All jobs</a></p>
${renderFailure(job)}${isUnfinished(ticket) && html`<p class="note plain">This job has not ended yet. <a href="/dashboard/jobs/${ticket.id}">Refresh</a></p>`}
${hasResult && (await renderResult(context, accountId, job))}
${ticket.status === 'succeeded' && !hasResult && html`<p class="note plain">The result is no longer stored: results are kept for a week.</p>`}
<section class="card"><dl class="facts">${renderFacts(ticket)}</dl></section>`
    return renderDashboardPage(context, session, { path: '/dashboard/jobs', title: ticket.serviceKey, content })
  }),

  definePrivatePage('GET /dashboard/jobs/{id}/result.json', async ({ session, params }, context) => {
    const job = await requireJob(context, session.caller.accountId, params.id!)
    const { result } = (await serializeJob(context, job)) as { result?: unknown }
    if (result === undefined) throw new Problem('NOT_FOUND')
    const disposition = `attachment; filename="${job.ticket.serviceKey}.json"`
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': disposition,
      ...SANDBOX,
    }
    return { headers, body: Buffer.from(JSON.stringify(result, null, 2)) }
  }),

  definePrivatePage('GET /dashboard/jobs/{id}/files/{index}', async ({ session, params }, context) => {
    requireId(params.id!)
    return download(context, await findFile(context, session.caller.accountId, params))
  }),

  definePrivatePage('GET /dashboard/jobs/{id}/files/{index}/preview', async ({ session, params }, context) => {
    requireId(params.id!)
    const { accountId } = session.caller
    return sendPreview(context, accountId, await findFile(context, accountId, params))
  }),
]

function requireId(id: string): void {
  if (!isUuid(id)) throw new Problem('NOT_FOUND')
}

async function requireJob({ db }: ApiContext, accountId: string, id: string): Promise<JobRecord> {
  requireId(id)
  const job = await readJob(db, accountId, id)
  if (!job) throw new Problem('NOT_FOUND')
  return job
}

/** Why a job failed, in words, with what the problem names. */
function renderFailure({ ticket: { status }, problem }: JobRecord): Html | false {
  if (status !== 'failed' && status !== 'expired') return false
  if (!problem)
    return html`<section class="card failure"><h2>This job ${status}</h2><p>The reason is no longer stored: reasons are kept for a week. Nothing was charged.</p></section>`
  const { code, message, hints } = Problem.from(problem)
  return html`<section class="card failure stack" role="status"><header><p class="eyebrow">${code}</p><h2>Why it ${status}</h2></header>
<p>${message}</p>${renderHints(hints)}<p class="dim">Nothing was charged.</p></section>`
}

function renderHints(hints: Hints): Html | false {
  const shown = Object.entries(hints).filter(([name, hint]) => hint !== undefined && name !== 'jobId')
  const facts = shown.map(
    ([name, hint]) =>
      html`<dt>${formatLabel(name)}</dt><dd>${typeof hint === 'object' ? JSON.stringify(hint) : String(hint as string)}</dd>`,
  )
  return facts.length > 0 && html`<dl class="facts">${facts}</dl>`
}

function renderFacts(ticket: Ticket): Html {
  const { id, status, createdAt, startedAt, finishedAt, ceilingMicros, actualMicros, progress } = ticket
  const renderFact = (name: string, content: Html | string | undefined) =>
    content !== undefined && html`<dt>${name}</dt><dd>${content}</dd>`
  return html`${renderFact('State', renderStatus(status))}${renderFact('Job', html`<code>${id}</code>`)}${renderFact('Created', renderTime(createdAt))}
${renderFact('Ended', finishedAt && renderTime(finishedAt))}${renderFact('Took', startedAt && finishedAt && formatDuration(Date.parse(finishedAt) - Date.parse(startedAt)))}
${renderFact('Progress', progress && `${progress.done} of ${progress.total} ${progress.unit}`)}
${renderFact('Held', formatMoney(ceilingMicros))}${renderFact('Charged', actualMicros && formatMoney(actualMicros))}`
}

import type { AdminJob } from '../../../sql/admin/jobs.ts'
import { NO_ACCOUNT } from '../../intake/identity/anonymous.ts'
import { formatDuration, formatMoney, renderStatus, renderTime } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderTable } from './layout.ts'

export function renderJobTable(jobs: readonly AdminJob[]): Html {
  const lines = jobs.map(
    ({ id, service_key: operation, status, problem_code: problem, created_at: at, run_ms: ms, ...job }) =>
      html`<tr><td class="when">${renderTime(at)}</td><td><a href="/jobs/${id}">${operation}</a></td><td>${renderStatus(status)} ${problem}</td><td class="num">${ms === null ? '' : formatDuration(ms)}</td><td class="num">${formatMoney(job.charged_micros)}${job.refunded_micros > 0n && html` (${formatMoney(job.refunded_micros)} given back)`}</td><td class="mono">${renderAccount(job.account_id, job.account_id.slice(0, 8))}</td></tr>`,
  )
  return renderTable(['Created', 'Operation', 'Status', 'Ran', 'Charged', 'Account'], lines, 'No job fits.')
}

/** Whom a job belongs to. What the service does of itself, such as drawing pages of an envelope, has no account. */
export function renderAccount(id: string, text = id): Html {
  return id === NO_ACCOUNT ? html`the service` : html`<a href="/accounts/${id}">${text}</a>`
}

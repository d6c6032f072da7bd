import type { AdminJob } from '../../../sql/admin/jobs.ts'
import { formatDuration, formatMoney, renderStatus, renderTime } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderTable } from './layout.ts'

export function renderJobTable(jobs: readonly AdminJob[]): Html {
  const lines = jobs.map(
    ({ id, service_key: operation, status, problem_code: problem, created_at: at, run_ms: ms, ...job }) =>
      html`<tr><td class="when">${renderTime(at)}</td><td><a href="/jobs/${id}">${operation}</a></td><td>${renderStatus(status)} ${problem}</td><td class="num">${ms === null ? '' : formatDuration(ms)}</td><td class="num">${formatMoney(job.charged_micros)}${job.refunded_micros > 0n && html` (${formatMoney(job.refunded_micros)} given back)`}</td><td class="mono"><a href="/accounts/${job.account_id}">${job.account_id.slice(0, 8)}</a></td></tr>`,
  )
  return renderTable(['Created', 'Operation', 'Status', 'Ran', 'Charged', 'Account'], lines, 'No job fits.')
}

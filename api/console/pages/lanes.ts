import { isLane, isUuid, Problem } from '#kit'
import {
  type AdminLane,
  type AdminWorker,
  drainWorker,
  listAdminWorkers,
  listLanes,
} from '../../../sql/admin/queues.ts'
import { setByOperator } from '../../../sql/admin/settings.ts'
import { formatDuration, renderTime } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { type ConsoleRequest, defineConsolePage, hasRole } from '../page.ts'
import { renderAct, renderConsolePage, renderTable } from '../parts/layout.ts'

type Session = ConsoleRequest['session']

export const lanePages = [
  defineConsolePage('GET /lanes', 'read', async ({ session, db }, { settings }) => {
    const [lanes, workers] = await Promise.all([listLanes(db), listAdminWorkers(db)])
    const content = html`<section class="card flush"><header class="cap"><h2>Lanes</h2></header>${renderTable(
      ['Lane', 'Workers', 'Places', 'Running', 'Waiting', 'Oldest', 'Wait, 95 %', 'Run, 95 %', 'Places of a worker'],
      lanes.map(lane => renderLane(session, lane, settings.get(`lane.${lane.lane}.concurrency`))),
      'There is no lane.',
    )}</section>
<section class="card flush"><header class="cap"><h2>Workers</h2></header>${renderTable(
      ['Worker', 'Lanes', 'Runs', 'Started', 'Last heard', 'Missing tools', 'State'],
      workers.map(worker => renderWorker(session, worker)),
      'No worker is there.',
    )}</section>`
    return renderConsolePage(session, {
      ...{ path: '/lanes', title: 'Lanes and workers', content },
      lead: 'Waits and runs are those of the last 15 minutes.',
    })
  }),

  defineConsolePage('POST /lanes/{lane}', 'full', async ({ params, form, db }) => {
    if (!isLane(params.lane!)) throw new Problem('NOT_FOUND')
    const places = form.get('places') ?? ''
    if (!/^\d{1,4}$/.test(places)) throw new Problem('INVALID_PARAM', { field: 'places' })
    await setByOperator(db, `lane.${params.lane}.concurrency`, Number(places), undefined)
    return { redirectTo: '/lanes' }
  }),
  defineConsolePage('POST /workers/{id}/drain', 'full', page => drain(page, true)),
  defineConsolePage('POST /workers/{id}/take-jobs', 'full', page => drain(page, false)),
]

async function drain({ params, db }: ConsoleRequest, isDraining: boolean) {
  if (!isUuid(params.id!)) throw new Problem('NOT_FOUND')
  await drainWorker(db, params.id!, isDraining)
  return { redirectTo: '/lanes' }
}

function renderLane(session: Session, lane: AdminLane, places: number): Html {
  const duration = (ms: number | null) => (ms === null ? '' : formatDuration(ms))
  const { oldest_seconds: oldest } = lane
  const field = html`<input name="places" aria-label="Places of a worker in ${lane.lane}; 0 is automatic" type="number" min="0" value="${places}" required>`
  const act = { action: `/lanes/${lane.lane}`, label: 'Set', fields: field, needsReason: false }
  return html`<tr><td>${lane.lane}</td><td class="num">${lane.workers}</td><td class="num">${lane.slots}</td><td class="num">${lane.running}</td><td class="num">${lane.waiting}</td><td class="num">${duration(oldest === null ? null : oldest * 1_000)}</td><td class="num">${duration(lane.wait_p95_ms)}</td><td class="num">${duration(lane.run_p95_ms)}</td><td>${hasRole(session, 'full') ? renderAct(session, act) : places || 'automatic'}</td></tr>`
}

function renderWorker(session: Session, worker: AdminWorker): Html {
  const { id, host, pid, lanes, tools, draining_at: drainingAt } = worker
  const missing = tools.filter(({ ok }) => !ok).map(({ name }) => name)
  const places = Object.entries(lanes).map(([lane, count]) => `${lane} ${count}`)
  const act = drainingAt
    ? { action: `/workers/${id}/take-jobs`, label: 'Take jobs again', needsReason: false }
    : { action: `/workers/${id}/drain`, label: 'Drain', needsReason: false }
  return html`<tr><td>${host}, ${pid}</td><td>${places.join(', ')}</td><td class="num">${worker.running}</td><td class="when">${renderTime(worker.started_at)}</td><td class="when">${renderTime(worker.beat_at)}</td><td>${missing.join(', ') || 'none'}</td><td>${drainingAt ? html`<span class="pill wait">draining</span>` : html`<span class="pill good">takes jobs</span>`}${hasRole(session, 'full') && renderAct(session, act)}</td></tr>`
}

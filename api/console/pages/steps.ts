import { Problem } from '#kit'
import { retryStepByOperator } from '../../../sql/admin/queues.ts'
import { listSteps } from '../../../sql/step/queue.ts'
import { renderTime } from '../../pages/parts/format.ts'
import { html } from '../../pages/parts/html.ts'
import { defineConsolePage, hasRole } from '../page.ts'
import { renderAct, renderConsolePage, renderTable } from '../parts/layout.ts'

const SHOWN = 200

export const stepPages = [
  defineConsolePage('GET /steps', 'read', async ({ session, db }) => {
    const steps = await listSteps(db, SHOWN)
    const canRetry = hasRole(session, 'support')
    const lines = steps.map(
      step =>
        html`<tr><td>${step.name}</td><td class="mono">${step.key}</td><td>${step.state}</td><td class="num">${step.attempts} of ${step.max_attempts}</td><td class="when">${step.state !== 'dead' && renderTime(step.run_at)}</td><td>${step.last_error?.split('\n')[0]}</td><td>${canRetry && (step.state === 'dead' || step.state === 'failing') && renderAct(session, { action: `/steps/${step.id}/retry`, label: 'Run again', needsReason: false })}</td></tr>`,
    )
    const content = html`${canRetry && steps.some(({ state }) => state === 'dead') && html`<section class="card">${renderAct(session, { action: '/steps/all/retry', label: 'Run all dead steps again', needsReason: false })}</section>`}
<section class="card flush">${renderTable(['Step', 'Key', 'State', 'Attempts', 'Runs', 'Last error', 'Act'], lines, 'No step is queued.')}</section>`
    return renderConsolePage(session, {
      ...{ path: '/steps', title: 'Steps', content },
      lead: 'The background work of products. A dead step has failed 12 times and waits for an operator.',
    })
  }),

  defineConsolePage('POST /steps/{id}/retry', 'support', async ({ params, db }) => {
    if (!/^(all|\d{1,18})$/.test(params.id!)) throw new Problem('NOT_FOUND')
    const retried = await retryStepByOperator(db, params.id === 'all' ? undefined : params.id)
    if (retried === 0 && params.id !== 'all') throw new Problem('NOT_FOUND')
    return { redirectTo: '/steps' }
  }),
]

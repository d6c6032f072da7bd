import { listNames, type NamedView } from '../../../../sql/coordination/counters.ts'
import { renderTime } from '../../../pages/parts/format.ts'
import { html } from '../../../pages/parts/html.ts'
import { renderDashboardPage } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'

const PATH = '/dashboard/coordination'
const LIMIT = 200

export default [
  definePrivatePage(`GET ${PATH}`, async ({ session }, context) => {
    const names = await listNames(context.db, session.caller.accountId, { limit: LIMIT })
    const table =
      names.length > 0
        ? renderTable(names)
        : html`<p class="empty">No locks, barriers or counters yet. <a href="/docs/bridge">How agents use them</a></p>`
    const more =
      names.length === LIMIT ? html`<p class="dim">The first ${LIMIT}; GET /v1/bridge/names has all.</p>` : html``
    const content = html`<section class="card flush">${table}</section>${more}`
    return renderDashboardPage(context, session, { path: PATH, title: 'Coordination', content })
  }),
]

function renderTable(names: readonly NamedView[]) {
  const lines = names.map(
    view =>
      html`<tr><td class="state">${view.kind}</td><td class="what">${view.name}</td><td class="long">${describe(view)}</td><td class="when">${renderTime(findTime(view))}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">Kind</th><th scope="col">Name</th><th scope="col">State</th><th scope="col">Time</th></tr></thead><tbody>${lines}</tbody></table>`
}

function describe(view: NamedView): string {
  if (view.kind === 'counter') return String(view.value)
  if (view.kind === 'barrier') return `${view.state}, ${view.arrived} of ${view.parties}`
  return view.isHeld ? `held${view.owner ? ` by ${view.owner}` : ''}, fence ${view.fence}` : 'free'
}

function findTime(view: NamedView): string {
  return view.kind === 'counter' ? view.updatedAt : view.expiresAt
}

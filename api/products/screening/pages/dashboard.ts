import { listVersions } from '../../../../sql/screening/lists.ts'
import { listMonitors, type Monitor } from '../../../../sql/screening/monitors.ts'
import { type ListedScreening, listScreenings } from '../../../../sql/screening/screenings.ts'
import type { ListedVersion } from '../../../../tasks/products/screening/coverage.ts'
import { countOf, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderDashboardPage } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'

const SHOWN = 100

export default [
  definePrivatePage('GET /dashboard/screening', async ({ session }, context) => {
    const { accountId } = session.caller
    const [monitors, screenings, versions] = await Promise.all([
      listMonitors(context.db, accountId, SHOWN),
      listScreenings(context.db, accountId, SHOWN),
      listVersions(context.db, accountId),
    ])
    const own = versions.filter(({ isOwn, version }) => isOwn && version !== null)
    const content = html`<h2>Watched subjects</h2>${renderSection(monitors.length > 0 && renderMonitors(monitors))}
<h2>Screenings</h2>${renderSection(screenings.length > 0 && renderScreenings(screenings))}
<h2>Your lists</h2>${renderSection(own.length > 0 && renderLists(own))}`
    return renderDashboardPage(context, session, { path: '/dashboard/screening', title: 'Screening', content })
  }),
]

function renderSection(table: Html | false) {
  return html`<section class="card flush">${table || html`<p class="empty">None yet.</p>`}</section>`
}

function renderMonitors(monitors: readonly Monitor[]) {
  const lines = monitors.map(
    ({ request, referenceId, state, status, matches, checkedAt, endsAt }) =>
      html`<tr><td class="what">${request.name}</td><td class="long">${referenceId ?? ''}</td><td class="state">${state === 'ended' ? 'ended' : status}</td><td>${countOf(matches.length, 'match', 'matches')}</td><td class="when">${renderTime(checkedAt)}</td><td class="when">until ${renderTime(endsAt)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">Name</th><th scope="col">Reference</th><th scope="col">Status</th><th scope="col">Matches</th><th scope="col">Checked</th><th scope="col">Ends</th></tr></thead><tbody>${lines}</tbody></table>`
}

function renderScreenings(screenings: readonly ListedScreening[]) {
  const lines = screenings.map(
    ({ screeningId, name, referenceId, status, matches, createdAt }) =>
      html`<tr><td class="what">${name}</td><td class="long">${referenceId ?? ''}</td><td class="state">${status}</td><td>${countOf(matches, 'match', 'matches')}</td><td class="long">${screeningId}</td><td class="when">${renderTime(createdAt)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">Name</th><th scope="col">Reference</th><th scope="col">Status</th><th scope="col">Matches</th><th scope="col">Id</th><th scope="col">Searched</th></tr></thead><tbody>${lines}</tbody></table>`
}

function renderLists(lists: readonly ListedVersion[]) {
  const lines = lists.map(
    ({ title, key, entries, version, loadedAt }) =>
      html`<tr><td class="what">${title}</td><td class="long">${key}</td><td>version ${version}</td><td>${countOf(entries ?? 0, 'entry', 'entries')}</td><td class="when">${renderTime(loadedAt!)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">Title</th><th scope="col">Source</th><th scope="col">Version</th><th scope="col">Entries</th><th scope="col">Loaded</th></tr></thead><tbody>${lines}</tbody></table>`
}

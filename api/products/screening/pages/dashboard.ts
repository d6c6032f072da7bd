import { isUuid, Problem } from '#kit'
import { listVersions } from '../../../../sql/screening/lists.ts'
import { listMonitors, type Monitor, stopMonitor } from '../../../../sql/screening/monitors.ts'
import { type ListedScreening, listScreenings } from '../../../../sql/screening/screenings.ts'
import type { ListedVersion } from '../../../../tasks/products/screening/coverage.ts'
import { countOf, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'

const SHOWN = 100

export default [
  definePrivatePage('GET /dashboard/screening', async ({ session, query }, context) => {
    const { accountId } = session.caller
    const [monitors, screenings, versions] = await Promise.all([
      listMonitors(context.db, accountId, SHOWN),
      listScreenings(context.db, accountId, SHOWN),
      listVersions(context.db, accountId),
    ])
    const own = versions.filter(({ isOwn, version }) => isOwn && version !== null)
    const csrf = renderCsrfField(context, session)
    const content = html`${NOTICES[query.done ?? '']}<h2>Watched subjects</h2>${renderSection(monitors.length > 0 && renderMonitors(monitors, csrf))}
<h2>Screenings</h2>${renderSection(screenings.length > 0 && renderScreenings(screenings))}
<h2>Your lists</h2>${renderSection(own.length > 0 && renderLists(own))}`
    return renderDashboardPage(context, session, { path: '/dashboard/screening', title: 'Screening', content })
  }),

  definePrivatePage('POST /dashboard/screening/monitors/{id}/stop', async ({ session, params }, context) => {
    const id = params.id!
    if (!isUuid(id)) throw new Problem('NOT_FOUND')
    const done = await stopMonitor(context.db, session.caller.accountId, id).then(
      () => 'stopped',
      error => {
        if (error instanceof Problem && error.code === 'ILLEGAL_TRANSITION') return 'ended'
        throw error
      },
    )
    return { redirectTo: `/dashboard/screening?done=${done}` }
  }),
]

const NOTICES: Record<string, Html> = {
  stopped: renderNotice('good', 'The subject is not watched any more.'),
  ended: renderNotice('bad', 'This monitor had ended already.'),
}

function renderSection(table: Html | false) {
  return html`<section class="card flush">${table || html`<p class="empty">None yet.</p>`}</section>`
}

/** Stopping pays nothing back, so it takes two clicks. */
function renderStop({ id, state, request: { name } }: Monitor, csrf: Html): Html | false {
  return (
    state === 'active' &&
    html`<details><summary class="danger" aria-label="Stop: ${name}">Stop</summary><form method="post" action="/dashboard/screening/monitors/${id}/stop">${csrf}<p class="dim small">What is left of its time is not paid back.</p><button class="button quiet small" type="submit" aria-label="Stop watching: ${name}">Stop watching</button></form></details>`
  )
}

function renderMonitors(monitors: readonly Monitor[], csrf: Html) {
  const lines = monitors.map(
    ({ request, referenceId, state, status, matches, checkedAt, endsAt }, index) =>
      html`<tr><td class="what">${request.name}${renderStop(monitors[index]!, csrf)}</td><td class="long">${referenceId ?? ''}</td><td class="state">${state === 'ended' ? 'ended' : status}</td><td>${countOf(matches.length, 'match', 'matches')}</td><td class="when">${renderTime(checkedAt)}</td><td class="when">until ${renderTime(endsAt)}</td></tr>`,
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

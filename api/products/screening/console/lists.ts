import { listVersions, refreshByOperator } from '../../../../sql/screening/lists.ts'
import { SOURCES } from '../../../../tasks/products/screening/sources.ts'
import { defineConsolePage, hasRole } from '../../../console/page.ts'
import { renderAct, renderConsolePage, renderTable } from '../../../console/parts/layout.ts'
import { renderTime } from '../../../pages/parts/format.ts'
import { html } from '../../../pages/parts/html.ts'

export const link = { path: '/screening-lists', title: 'Screening lists' }

export default [
  defineConsolePage('GET /screening-lists', 'read', async ({ session, db }) => {
    const versions = await listVersions(db, null)
    const canRefresh = hasRole(session, 'support')
    const lines = SOURCES.map(({ key, title }) => {
      const list = versions.find(version => version.key === key)
      const act = { action: `/screening-lists/${key}`, label: 'Load again', needsReason: false }
      const when = (at: string | null | undefined) => (at ? renderTime(at) : '')
      return html`<tr><td>${title}</td><td class="num">${list?.entries ?? 0}</td><td class="when">${when(list?.publishedAt)}</td><td class="when">${when(list?.loadedAt)}</td><td class="when">${when(list?.checkedAt)}</td><td>${list ? list.failure : 'not loaded'}</td><td>${canRefresh && list && renderAct(session, act)}</td></tr>`
    })
    const content = html`<section class="card flush">${renderTable(['List', 'Entries', 'Published', 'Loaded', 'Checked', 'Failure', 'Act'], lines, '')}</section>`
    return renderConsolePage(session, {
      ...{ path: '/screening-lists', title: 'Screening lists', content },
      lead: 'The setting screening.lists chooses what is loaded.',
    })
  }),

  defineConsolePage('POST /screening-lists/{key}', 'support', async ({ params, db }) => {
    await refreshByOperator(db, params.key!)
    return { redirectTo: '/screening-lists' }
  }),
]

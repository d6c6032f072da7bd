import { listVerifications, type VerificationView } from '../../../../sql/idverify/verifications.ts'
import { readOffset, renderPager, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderDashboardPage } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'

const PATH = '/dashboard/identity'
const PAGE_SIZE = 25

export default [
  definePrivatePage(`GET ${PATH}`, async ({ session, query }, context) => {
    const offset = readOffset(query)
    const found = await listVerifications(context.db, session.caller.accountId, {}, { limit: PAGE_SIZE + 1, offset })
    const table =
      found.length > 0
        ? renderTable(found.slice(0, PAGE_SIZE))
        : html`<p class="empty">No verifications yet. <a href="/docs/idverify">How to begin one</a></p>`
    const content = html`<section class="card flush">${table}</section>
${renderPager(PATH, {}, { offset, size: PAGE_SIZE, hasMore: found.length > PAGE_SIZE })}`
    return renderDashboardPage(context, session, { path: PATH, title: 'Identity', content })
  }),
]

function renderTable(found: readonly VerificationView[]): Html {
  const lines = found.map(
    ({ id, type, status, decision, referenceId, reasonCodes, createdAt }) =>
      html`<tr><td class="when">${renderTime(createdAt)}</td><td class="what">${referenceId ?? id}</td><td>${type}</td><td>${reasonCodes.join(', ')}</td><td class="state">${(decision ?? status).replace('_', ' ')}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">Reference</th><th scope="col">Type</th><th scope="col">Reasons</th><th scope="col">State</th></tr></thead><tbody>${lines}</tbody></table>`
}

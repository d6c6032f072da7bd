import { REVIEW } from '../../../../ops/products/idverify/review-link.ts'
import { listWaitingReviews, reviewAsOperator } from '../../../../sql/idverify/reviews.ts'
import { defineConsolePage, hasRole } from '../../../console/page.ts'
import { renderAct, renderConsolePage, renderTable } from '../../../console/parts/layout.ts'
import { renderTime } from '../../../pages/parts/format.ts'
import { html } from '../../../pages/parts/html.ts'

const [SHOWN, HOURS] = [100, 1]

export const link = { path: '/reviews', title: 'Identity reviews' }

export default [
  defineConsolePage('GET /reviews', 'read', async ({ session, db }) => {
    const waiting = await listWaitingReviews(db, SHOWN)
    const lines = waiting.map(
      ({ id, type, since, reasonCodes }) =>
        html`<tr><td class="when">${renderTime(since)}</td><td class="mono">${id}</td><td>${type}</td><td>${reasonCodes.join(', ')}</td></tr>`,
    )
    const act = { action: '/reviews', label: 'Review them for an hour', needsReason: false }
    const content = html`${hasRole(session, 'support') && waiting.length > 0 && html`<section class="card">${renderAct(session, act)}</section>`}
<section class="card flush">${renderTable(['Since', 'Verification', 'Type', 'Reasons'], lines, 'No identity waits for a decision.')}</section>`
    return renderConsolePage(session, { path: '/reviews', title: 'Identity reviews', content })
  }),

  defineConsolePage('POST /reviews', 'support', async ({ session, db }, { config }) => {
    const token = REVIEW.mint()
    await reviewAsOperator(db, REVIEW.hash(config.secret, token), HOURS)
    const url = `${config.publicUrl}/review/identity/${token}`
    const content = html`<section class="card stack"><p>The link works for an hour. What you decide is logged under your name.</p><p class="row"><a class="button" href="${url}" rel="noreferrer">Open the reviews</a><a href="/reviews">Back</a></p></section>`
    return renderConsolePage(session, { path: '/reviews', title: 'Identity reviews', content })
  }),
]

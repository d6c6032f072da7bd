import { listNotifications, type StoredNotification } from '../../../../sql/notification/outbox.ts'
import { readOffset, renderPager, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderDashboardPage } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'
import { showNotification } from '../message.ts'

const PATH = '/dashboard/notifications'
const PAGE_SIZE = 25

export default [
  definePrivatePage(`GET ${PATH}`, async ({ session, query }, context) => {
    const offset = readOffset(query)
    const { accountId } = session.caller
    const found = await listNotifications(context.db, accountId, { limit: PAGE_SIZE + 1, offset })
    const shown = found.slice(0, PAGE_SIZE).map(stored => showNotification(stored, context.config.publicUrl))
    const content = html`<section class="card flush">${renderTable(shown)}</section>
${renderPager(PATH, {}, { offset, size: PAGE_SIZE, hasMore: found.length > PAGE_SIZE })}`
    const lead = 'Messages that were sent to you or in your name, and what became of each. Times are in UTC.'
    return renderDashboardPage(context, session, { path: PATH, title: 'Notifications', lead, content })
  }),
]

function renderTable(shown: readonly ReturnType<typeof showNotification>[]): Html {
  if (shown.length === 0) return html`<p class="empty">None yet.</p>`
  const rows = shown.map(
    ({ createdAt, recipient, subject, text, ...state }) =>
      html`<tr><td class="when">${renderTime(createdAt)}</td><td class="what"><details><summary>${subject}</summary><pre>${text}</pre></details></td><td class="long">${recipient ?? html`<span class="dim">none known</span>`}</td><td class="state">${describeState(state)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">Message</th><th scope="col">To</th><th scope="col">State</th></tr></thead><tbody>${rows}</tbody></table>`
}

function describeState({ state, lastError }: Pick<StoredNotification, 'state' | 'lastError'>): string {
  if (state === 'waiting') return lastError === null ? 'is sent soon' : 'failed so far, is tried again'
  return { sent: 'sent by mail', kept: 'only shown here', refused: 'refused by the mail server' }[state]
}

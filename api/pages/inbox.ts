import { type InboxItem, listInbox } from '../inbox.ts'
import { renderTime } from './parts/format.ts'
import { html } from './parts/html.ts'
import { renderDashboardPage } from './parts/layout.ts'
import { definePrivatePage } from './parts/page.ts'

export const inboxPages = [
  definePrivatePage('GET /dashboard/inbox', async ({ session }, context) => {
    const items = await listInbox(context, session.caller.accountId)
    const content = html`<section class="card flush">${items.length > 0 ? renderItems(items) : html`<p class="empty">Nothing waits for you.</p>`}</section>`
    const lead = 'What waits for you, by the mail addresses and wallets with which you sign in. Times are in UTC.'
    return renderDashboardPage(context, session, { path: '/dashboard/inbox', title: 'Inbox', lead, content })
  }),
]

function renderItems(items: readonly InboxItem[]) {
  const lines = items.map(
    ({ kind, title, isUrgent, url, since, until }) =>
      html`<tr><td class="when">${renderTime(since)}</td><td class="what"><a href="${url}">${title}</a></td><td>${kind}${isUrgent && ', urgent'}</td><td class="state">until ${renderTime(until)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">Since</th><th scope="col">What</th><th scope="col">Kind</th><th scope="col">Until</th></tr></thead><tbody>${lines}</tbody></table>`
}

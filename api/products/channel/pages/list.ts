import { type ChannelView, listChannels } from '../../../../sql/channel/channels.ts'
import { renderTime } from '../../../pages/parts/format.ts'
import { html } from '../../../pages/parts/html.ts'
import { renderDashboardPage } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'

const PATH = '/dashboard/channels'
const LIMIT = 100

export default [
  definePrivatePage(`GET ${PATH}`, async ({ session }, context) => {
    const channels = await listChannels(context.db, session.caller.accountId, LIMIT, 0)
    const table =
      channels.length > 0
        ? renderTable(channels)
        : html`<p class="empty">No channels yet. <a href="/docs/bridge">How agents use them</a></p>`
    const more = channels.length === LIMIT ? html`<p class="dim">The newest ${LIMIT}.</p>` : html``
    const content = html`<section class="card flush">${table}</section>${more}`
    return renderDashboardPage(context, session, { path: PATH, title: 'Channels', content })
  }),
]

function renderTable(channels: readonly ChannelView[]) {
  const lines = channels.map(
    ({ id, name, mode, state, messages, maxMessages, expiresAt }) =>
      html`<tr><td class="what">${name ?? id}</td><td>${mode}</td><td class="state">${state}</td><td>${messages} of ${maxMessages}</td><td class="when">${renderTime(expiresAt)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">Name</th><th scope="col">Mode</th><th scope="col">State</th><th scope="col">Messages</th><th scope="col">Ends</th></tr></thead><tbody>${lines}</tbody></table>`
}

import { isUuid, Problem } from '#kit'
import {
  type AdminDelivery,
  type AdminEndpoint,
  findEndpoint,
  listEndpointDeliveries,
  listEndpoints,
  redeliverByOperator,
} from '../../../../sql/webhook/console.ts'
import { type ConsoleRequest, defineConsolePage, hasRole } from '../../../console/page.ts'
import { renderAct, renderConsolePage, renderTable } from '../../../console/parts/layout.ts'
import { readOffset, renderPager, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'

const [PAGE, DELIVERIES] = [50, 50]

export const link = { path: '/webhooks', title: 'Webhooks' }

export default [
  defineConsolePage('GET /webhooks', 'read', async ({ session, query, db }) => {
    const offset = readOffset(query)
    const found = await listEndpoints(db, { first: PAGE + 1, offset })
    const content = html`<section class="card flush">${renderTable(['Endpoint', 'Account', 'Events', 'Failures in a row', 'Waiting', 'State'], found.slice(0, PAGE).map(renderEndpoint), 'There is no webhook.')}</section>
${renderPager('/webhooks', {}, { offset, size: PAGE, hasMore: found.length > PAGE })}`
    return renderConsolePage(session, { path: '/webhooks', title: 'Webhooks', content })
  }),

  defineConsolePage('GET /webhooks/{id}', 'read', async ({ session, params, db }) => {
    const endpoint = isUuid(params.id!) ? await findEndpoint(db, params.id!) : undefined
    if (!endpoint) throw new Problem('NOT_FOUND')
    const deliveries = await listEndpointDeliveries(db, endpoint.id, DELIVERIES)
    const lines = deliveries.map(delivery => renderDelivery(session, endpoint, delivery))
    const content = html`<section class="card flush">${renderTable(['Created', 'Event', 'Status', 'Attempts', 'Answer', 'Act'], lines, 'Nothing was sent.')}</section>`
    return renderConsolePage(session, { path: '/webhooks', title: 'Webhook', lead: endpoint.url, content })
  }),

  defineConsolePage('POST /webhooks/{id}/{delivery}/send', 'support', async ({ params, db }) => {
    if (!isUuid(params.id!) || !isUuid(params.delivery!)) throw new Problem('NOT_FOUND')
    await redeliverByOperator(db, params.id!, params.delivery!)
    return { redirectTo: `/webhooks/${params.id}` }
  }),
]

function renderEndpoint(endpoint: AdminEndpoint): Html {
  const { id, account_id: account, url, events, is_active: isActive, disabled_reason: reason } = endpoint
  const state = isActive
    ? endpoint.paused_until && endpoint.paused_until > new Date()
      ? html`<span class="pill wait">paused</span>`
      : html`<span class="pill good">active</span>`
    : html`<span class="pill bad">off</span> ${reason}`
  return html`<tr><td><a href="/webhooks/${id}">${url}</a></td><td class="mono"><a href="/accounts/${account}">${account.slice(0, 8)}</a></td><td>${events.join(', ')}</td><td class="num">${endpoint.consecutive_failures}</td><td class="num">${endpoint.waiting}</td><td>${state}</td></tr>`
}

function renderDelivery(
  session: ConsoleRequest['session'],
  { id, is_active: isActive }: AdminEndpoint,
  delivery: AdminDelivery,
): Html {
  const canSend = hasRole(session, 'support') && isActive && delivery.status !== 'PENDING'
  const act = { action: `/webhooks/${id}/${delivery.id}/send`, label: 'Send again', needsReason: false }
  return html`<tr><td class="when">${renderTime(delivery.created_at)}</td><td>${delivery.event}</td><td>${delivery.status}</td><td class="num">${delivery.attempts}</td><td>${delivery.response_code} ${delivery.error_message}</td><td>${canSend && renderAct(session, act)}</td></tr>`
}

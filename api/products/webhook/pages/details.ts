import { isUuid, Problem } from '#kit'
import {
  type DeliveryRecord,
  deleteWebhook,
  listDeliveries,
  readWebhook,
  redeliver,
  redeliverSince,
  rotateWebhookSecret,
  sendTestEvent,
  updateWebhook,
} from '../../../../sql/webhook/endpoints.ts'
import type { ApiContext } from '../../../context.ts'
import type { Session } from '../../../intake/identity/session.ts'
import { readOffset, renderPager, renderStatus, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage, type PageRequest } from '../../../pages/parts/page.ts'
import { sealNewSecret } from '../registration.ts'
import { DELIVERY_STATUSES } from '../routes/schema.ts'
import { renderHealth, renderNewSecret } from './parts/pieces.ts'

const PAGE_SIZE = 25
const DAY_MS = 86_400_000
const MAX_REDELIVERIES = 10_000

const NOTICES: Record<string, string> = {
  test: 'A test event is on its way. Reload the page to see how it ended.',
  redeliver: 'The delivery is sent again.',
  recover: 'The failed deliveries of the last day are sent again.',
  enable: 'The webhook is enabled.',
  disable: 'The webhook is disabled. What waited to be sent has failed and can be sent again later.',
}

/** What the buttons of the page do. */
const ACTIONS: Record<
  string,
  (db: ApiContext['db'], accountId: string, id: string, form: URLSearchParams) => Promise<unknown>
> = {
  test: (db, accountId, id) => sendTestEvent(db, accountId, id),
  redeliver: (db, accountId, id, form) => redeliver(db, accountId, id, requireUuid(form.get('delivery'))),
  recover: (db, accountId, id) =>
    redeliverSince(db, accountId, id, { since: new Date(Date.now() - DAY_MS), limit: MAX_REDELIVERIES }),
  enable: (db, accountId, id) => updateWebhook(db, accountId, id, { active: true }),
  disable: (db, accountId, id) => updateWebhook(db, accountId, id, { active: false }),
}

export default [
  definePrivatePage('GET /dashboard/webhooks/{id}', (page, context) => {
    const notice = NOTICES[page.query.done ?? '']
    return renderDetails(context, page, notice === undefined ? undefined : renderNotice('good', notice))
  }),

  definePrivatePage('POST /dashboard/webhooks/{id}/rotate', async (page, context) => {
    const id = requireUuid(page.params.id)
    const { secret, sealed } = sealNewSecret(context, id)
    const rotation = { secret: sealed, overlapSeconds: DAY_MS / 1_000 }
    await rotateWebhookSecret(context.db, page.session.caller.accountId, id, rotation)
    return renderDetails(context, page, renderNewSecret(secret))
  }),

  definePrivatePage('POST /dashboard/webhooks/{id}/delete', async ({ session, params }, context) => {
    await deleteWebhook(context.db, session.caller.accountId, requireUuid(params.id))
    return { redirectTo: '/dashboard/webhooks?done=deleted' }
  }),

  definePrivatePage('POST /dashboard/webhooks/{id}/{action}', async ({ session, params, form }, context) => {
    const [id, name] = [requireUuid(params.id), params.action ?? '']
    if (!Object.hasOwn(ACTIONS, name)) throw new Problem('NOT_FOUND')
    await ACTIONS[name]!(context.db, session.caller.accountId, id, form)
    return { redirectTo: `/dashboard/webhooks/${id}?done=${name}` }
  }),
]

function requireUuid(text: string | null | undefined): string {
  if (!text || !isUuid(text)) throw new Problem('NOT_FOUND')
  return text
}

async function renderDetails(
  context: ApiContext,
  { session, params, query }: PageRequest<Session>,
  notice?: Html,
): Promise<Html> {
  const { accountId } = session.caller
  const id = requireUuid(params.id)
  const webhook = await readWebhook(context.db, accountId, id)
  if (!webhook) throw new Problem('NOT_FOUND')
  const status = DELIVERY_STATUSES.find(value => value === query.status)
  const offset = readOffset(query)
  const found = (await listDeliveries(context.db, { accountId, id, status, limit: PAGE_SIZE + 1, offset }))!
  const path = `/dashboard/webhooks/${id}`
  const button = (action: string, name: string, more?: Html) =>
    html`<form method="post" action="${path}/${action}">${renderCsrfField(context, session)}${more}<button class="button small" type="submit">${name}</button></form>`
  const chips = ['', ...DELIVERY_STATUSES].map(value => {
    const href = value ? `${path}?status=${value}` : path
    return html`<a href="${href}" ${value === (status ?? '') && html`aria-current="true"`}>${value.toLowerCase() || 'all'}</a>`
  })
  const content = html`<p><a href="/dashboard/webhooks">← All webhooks</a></p>${notice}
${webhook.disabledReason && renderNotice('bad', `This webhook is disabled. ${webhook.disabledReason}`)}
<section class="card"><dl class="facts"><dt>State</dt><dd>${renderHealth(webhook)}</dd><dt>Events</dt><dd>${webhook.events.join(', ')}</dd><dt>Failures in a row</dt><dd>${webhook.consecutiveFailures}</dd><dt>Created</dt><dd>${renderTime(webhook.createdAt)}</dd></dl>
<div class="row">${webhook.active ? html`${button('test', 'Send test event')}${button('recover', 'Resend failed of last day')}${button('disable', 'Disable')}` : button('enable', 'Enable')}${button('rotate', 'New secret')}
<details><summary class="danger">Delete</summary>${button('delete', 'Delete webhook')}</details></div></section>
<nav class="chips" aria-label="Filter">${chips}</nav>
<section class="card flush">${renderDeliveries(found.slice(0, PAGE_SIZE), delivery => webhook.active && button('redeliver', 'Resend', html`<input type="hidden" name="delivery" value="${delivery.id}">`))}</section>
${renderPager(path, status ? { status } : {}, { offset, size: PAGE_SIZE, hasMore: found.length > PAGE_SIZE })}`
  return renderDashboardPage(context, session, { path: '/dashboard/webhooks', title: webhook.url, content })
}

const STATUS_NAMES = { PENDING: 'pending', SUCCESS: 'succeeded', FAILED: 'failed' } as const

function renderDeliveries(
  deliveries: readonly DeliveryRecord[],
  renderAction: (delivery: DeliveryRecord) => Html | false,
): Html {
  if (deliveries.length === 0) return html`<p class="empty">No deliveries found.</p>`
  const rows = deliveries.map(
    delivery =>
      html`<tr><td class="when">${renderTime(delivery.createdAt)}</td><td class="what">${delivery.event}${delivery.errorMessage && html` <span class="dim">${delivery.errorMessage}</span>`}</td><td class="state">${renderStatus(STATUS_NAMES[delivery.status])}</td><td class="num">${delivery.attempts}</td><td class="num">${delivery.responseCode ?? '–'}</td><td>${renderAction(delivery)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">Event</th><th scope="col">State</th><th scope="col" class="num">Tries</th><th scope="col" class="num">Answer</th><th scope="col">Again</th></tr></thead><tbody>${rows}</tbody></table>`
}

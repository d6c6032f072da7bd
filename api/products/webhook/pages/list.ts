import { listAccountEvents, Problem } from '#kit'
import { listWebhooks, type WebhookRecord } from '../../../../sql/webhook/endpoints.ts'
import type { ApiContext } from '../../../context.ts'
import type { Session } from '../../../intake/identity/session.ts'
import { renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'
import { createWebhook } from '../registration.ts'
import { renderHealth, renderNewSecret } from './parts/pieces.ts'

export default [
  definePrivatePage('GET /dashboard/webhooks', ({ session, query }, context) =>
    renderList(context, session, {
      notice: query.done === 'deleted' ? renderNotice('good', 'The webhook is deleted.') : undefined,
    }),
  ),

  definePrivatePage('POST /dashboard/webhooks/new', async ({ session, form, reply }, context) => {
    const [url, description] = [form.get('url')?.trim() ?? '', form.get('description')?.trim() || null]
    try {
      const fields = { url, events: form.getAll('events'), description: description?.slice(0, 500) ?? null }
      const { secret } = await createWebhook(context, session.caller, fields)
      return await renderList(context, session, { notice: renderNewSecret(secret) })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      reply.code(error.status)
      return renderList(context, session, { notice: renderNotice('bad', explain(error)), url })
    }
  }),
]

function explain(problem: Problem): string {
  if (problem.code === 'INVALID_EVENTS') return 'Choose at least one event.'
  const { reason, example } = problem.hints
  if (typeof reason !== 'string') return problem.message
  const way = typeof example === 'string' ? ` The operator allows it by a setting, such as ${example}.` : ''
  return `${problem.message} This is ${reason}.${way}`
}

async function renderList(
  context: ApiContext,
  session: Session,
  { notice, url = '' }: { notice?: Html; url?: string },
): Promise<Html> {
  const webhooks = await listWebhooks(context.db, session.caller.accountId)
  const content = html`${notice}
<section class="card flush">${renderTable(webhooks)}</section>
${renderForm(context, session, url)}`
  const lead = 'Addresses of yours that are sent a signed message when something happens, for example when a job ends.'
  return renderDashboardPage(context, session, { path: '/dashboard/webhooks', title: 'Webhooks', lead, content })
}

function renderTable(webhooks: readonly WebhookRecord[]): Html {
  if (webhooks.length === 0) return html`<p class="empty">No webhooks yet.</p>`
  const rows = webhooks.map(
    webhook =>
      html`<tr><td class="what"><a href="/dashboard/webhooks/${webhook.id}">${webhook.url}</a>${webhook.description && html` <span class="dim">${webhook.description}</span>`}</td><td>${webhook.events.join(', ')}</td><td class="state">${renderHealth(webhook)}</td><td class="when">${renderTime(webhook.createdAt)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">Address</th><th scope="col">Events</th><th scope="col">State</th><th scope="col">Created</th></tr></thead><tbody>${rows}</tbody></table>`
}

function renderForm(context: ApiContext, session: Session, url: string): Html {
  const events = listAccountEvents().map(
    name =>
      html`<label class="check"><input type="checkbox" name="events" value="${name}" checked> <code>${name}</code></label>`,
  )
  return html`<section class="card"><h2>Add a webhook</h2><form method="post" action="/dashboard/webhooks/new" class="stack">${renderCsrfField(context, session)}
<div><label for="url">Address</label><input id="url" name="url" type="url" required maxlength="2048" placeholder="https://example.com/hooks" value="${url}"></div>
<div><label for="description">Description</label><input id="description" name="description" maxlength="500" placeholder="optional"></div>
<fieldset class="options columns"><legend>Events</legend>${events}</fieldset>
<button class="button" type="submit">Add webhook</button></form></section>`
}

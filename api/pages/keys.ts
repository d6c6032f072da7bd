import { dropKey, type KeyWithLimits, limitKey, showKeys } from '../../sql/key.ts'
import type { ApiContext } from '../context.ts'
import type { Session } from '../intake/identity/session.ts'
import { issueKey, parseCap } from '../routes/account/schema.ts'
import { formatMoney, renderTime } from './parts/format.ts'
import { type Html, html } from './parts/html.ts'
import { renderCode, renderCsrfField, renderDashboardPage, renderNotice } from './parts/layout.ts'
import { definePrivatePage, type PageRequest } from './parts/page.ts'

const NOTICES: Record<string, Html> = {
  limits: renderNotice('good', 'The limits are set. They apply from the next call.'),
  revoked: renderNotice('good', 'The key is revoked. Calls that use it are now refused.'),
}

export const keyPages = [
  definePrivatePage('GET /dashboard/keys', ({ session, query }, context) =>
    renderKeysPage(context, session, NOTICES[query.done ?? '']),
  ),

  definePrivatePage('POST /dashboard/keys/new', async ({ session, form }, context) => {
    const { apiKey } = await issueKey(context, session.caller, form.get('prefix') || undefined)
    return renderKeysPage(context, session, renderNewKey(apiKey))
  }),

  definePrivatePage('POST /dashboard/keys/revoke', async ({ session, form }, context) => {
    await dropKey(context.db, session.caller.accountId, form.get('prefix') ?? '')
    context.keys.forget()
    return { redirectTo: '/dashboard/keys?done=revoked' }
  }),

  definePrivatePage('POST /dashboard/keys/limits', async (page, context) => setLimits(page, context)),
]

async function setLimits({ session, form, reply }: PageRequest<Session>, context: ApiContext) {
  let caps: { callCapMicros: bigint | null; dailyCapMicros: bigint | null }
  try {
    caps = { callCapMicros: parseCap(form.get('call')), dailyCapMicros: parseCap(form.get('day')) }
  } catch {
    reply.code(400)
    return renderKeysPage(
      context,
      session,
      renderNotice(
        'bad',
        'Enter a limit as an amount in dollars, for example 2.50. Leave the field empty for no limit.',
      ),
    )
  }
  await limitKey(context.db, { accountId: session.caller.accountId, prefix: form.get('prefix') ?? '', ...caps })
  context.keys.forget()
  return { redirectTo: '/dashboard/keys?done=limits' }
}

async function renderKeysPage(context: ApiContext, session: Session, notice?: Html): Promise<Html> {
  const keys = await showKeys(context.db, session.caller.accountId)
  const content = html`${notice}${keys.length === 0 ? renderFirstKeyForm(context, session) : keys.map(key => renderKeyCard(context, session, key))}`
  const lead = 'Calls made with a key are charged to your balance. Set limits so that an agent cannot overspend.'
  return renderDashboardPage(context, session, { path: '/dashboard/keys', title: 'API keys', lead, content })
}

function renderNewKey(apiKey: string): Html {
  return html`<section class="card fresh" role="status"><h2>Your new key</h2><p>Copy it now. It is <strong>shown only once</strong>, because we store only a hash of it.</p>${renderCode(apiKey, 'The new API key')}</section>`
}

function renderFirstKeyForm(context: ApiContext, session: Session): Html {
  return html`<section class="card center"><h2>No key yet</h2><p class="dim">Create one to call the API from code or from an agent.</p>
<form method="post" action="/dashboard/keys/new">${renderCsrfField(context, session)}<button class="button" type="submit">Create API key</button></form></section>`
}

function renderKeyCard(context: ApiContext, session: Session, key: KeyWithLimits): Html {
  const { prefix, createdAt, callCapMicros, dailyCapMicros, spentTodayMicros } = key
  const hiddenFields = html`${renderCsrfField(context, session)}<input type="hidden" name="prefix" value="${prefix}">`
  const id = `limit-${prefix}`
  return html`<section class="card key">
<header class="cap"><div><h2 class="mono">${prefix}…</h2><p class="dim">Created ${renderTime(createdAt)}${dailyCapMicros && html` · ${formatMoney(spentTodayMicros)} of ${formatMoney(dailyCapMicros)} spent today`}</p></div></header>
${dailyCapMicros && html`<progress max="${dailyCapMicros}" value="${spentTodayMicros}" aria-label="Share of today's limit that is spent"></progress>`}
<form method="post" action="/dashboard/keys/limits" class="limits">${hiddenFields}
<div><label for="${id}-call">Limit per call, USD</label><input id="${id}-call" name="call" inputmode="decimal" placeholder="no limit" value="${formatLimit(callCapMicros)}"></div>
<div><label for="${id}-day">Limit per day, USD</label><input id="${id}-day" name="day" inputmode="decimal" placeholder="no limit" value="${formatLimit(dailyCapMicros)}"></div>
<button class="button small" type="submit">Set limits</button></form>
<div class="row foot-row">
<details><summary>Rotate</summary><form method="post" action="/dashboard/keys/new">${hiddenFields}<p class="dim">The old key stops working at once. The new key has the same limits.</p><button class="button small" type="submit">Rotate key</button></form></details>
<details><summary class="danger">Revoke</summary><form method="post" action="/dashboard/keys/revoke">${hiddenFields}<p class="dim">Everything that uses this key stops working.</p><button class="button small danger" type="submit">Revoke key</button></form></details>
</div></section>`
}

function formatLimit(micros: string | null): string {
  return micros === null ? '' : formatMoney(micros).slice(1).replaceAll(',', '')
}

import { dropKey, limitKey, type ShownKey, showKeys } from '../../sql/key.ts'
import type { Floor } from '../floor.ts'
import type { Session } from '../intake/session.ts'
import { capOf, newKey } from '../routes/account/shape.ts'
import { type Html, html } from './html.ts'
import { code, csrfField, dashboardPage, note } from './layout.ts'
import { privatePage, type Visit } from './page.ts'
import { moment, money } from './words.ts'

const SAID: Record<string, Html> = {
  limits: note('good', 'The limits are set. They hold from the next call on.'),
  revoked: note('good', 'The key is revoked: calls with it are refused from now on.'),
}

export const keyPages = [
  privatePage('GET /dashboard/keys', ({ session, query }, floor) => keysPage(floor, session, SAID[query.done ?? ''])),

  privatePage('POST /dashboard/keys/new', async ({ session, form }, floor) => {
    const { apiKey } = await newKey(floor, session.caller, form.get('prefix') || undefined)
    return keysPage(floor, session, fresh(apiKey))
  }),

  privatePage('POST /dashboard/keys/revoke', async ({ session, form }, floor) => {
    await dropKey(floor.db, session.caller.accountId, form.get('prefix') ?? '')
    floor.keys.forget()
    return { to: '/dashboard/keys?done=revoked' }
  }),

  privatePage('POST /dashboard/keys/limits', async (visit, floor) => setLimits(visit, floor)),
]

async function setLimits({ session, form, reply }: Visit<Session>, floor: Floor) {
  let caps: { callCapMicros: bigint | null; dailyCapMicros: bigint | null }
  try {
    caps = { callCapMicros: capOf(form.get('call')), dailyCapMicros: capOf(form.get('day')) }
  } catch {
    reply.code(400)
    return keysPage(floor, session, note('bad', 'A limit is an amount of dollars, such as 2.50; empty is no limit.'))
  }
  await limitKey(floor.db, { accountId: session.caller.accountId, prefix: form.get('prefix') ?? '', ...caps })
  floor.keys.forget()
  return { to: '/dashboard/keys?done=limits' }
}

async function keysPage(floor: Floor, session: Session, said?: Html): Promise<Html> {
  const keys = await showKeys(floor.db, session.caller.accountId)
  const content = html`${said}${keys.length === 0 ? first(floor, session) : keys.map(key => keyCard(floor, session, key))}`
  const lead = 'A key calls everything on your balance. Set limits: agents overspend.'
  return dashboardPage(floor, session, { place: '/dashboard/keys', title: 'API keys', lead, content })
}

function fresh(apiKey: string): Html {
  return html`<section class="card fresh" role="status"><h2>Your new key</h2><p>Copy it now. We keep only a fingerprint of it, so it is <strong>shown this once</strong>.</p>${code(apiKey, 'The new API key')}</section>`
}

function first(floor: Floor, session: Session): Html {
  return html`<section class="card center"><h2>No key yet</h2><p class="dim">Create one to call the API from code or from an agent.</p>
<form method="post" action="/dashboard/keys/new">${csrfField(floor, session)}<button class="button" type="submit">Create API key</button></form></section>`
}

function keyCard(floor: Floor, session: Session, key: ShownKey): Html {
  const { prefix, createdAt, callCapMicros, dailyCapMicros, spentTodayMicros } = key
  const hidden = html`${csrfField(floor, session)}<input type="hidden" name="prefix" value="${prefix}">`
  const id = `limit-${prefix}`
  return html`<section class="card key">
<header class="cap"><div><h2 class="mono">${prefix}…</h2><p class="dim">Made ${moment(createdAt)}${dailyCapMicros && html` · ${money(spentTodayMicros)} of ${money(dailyCapMicros)} spent today`}</p></div></header>
${dailyCapMicros && html`<progress max="${dailyCapMicros}" value="${spentTodayMicros}" aria-label="Spent of the limit of today"></progress>`}
<form method="post" action="/dashboard/keys/limits" class="limits">${hidden}
<div><label for="${id}-call">Most a call, USD</label><input id="${id}-call" name="call" inputmode="decimal" placeholder="no limit" value="${plain(callCapMicros)}"></div>
<div><label for="${id}-day">Most a day, USD</label><input id="${id}-day" name="day" inputmode="decimal" placeholder="no limit" value="${plain(dailyCapMicros)}"></div>
<button class="button small" type="submit">Set limits</button></form>
<div class="row foot-row">
<details><summary>Rotate</summary><form method="post" action="/dashboard/keys/new">${hidden}<p class="dim">The old key stops at once; the new one keeps the limits.</p><button class="button small" type="submit">Rotate key</button></form></details>
<details><summary class="danger">Revoke</summary><form method="post" action="/dashboard/keys/revoke">${hidden}<p class="dim">Whatever uses this key stops working.</p><button class="button small danger" type="submit">Revoke key</button></form></details>
</div></section>`
}

function plain(micros: string | null): string {
  return micros === null ? '' : money(micros).slice(1).replaceAll(',', '')
}

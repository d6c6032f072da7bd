import { Problem } from '#kit'
import { changeKey, dropKey, type KeyChange, type KeyWithLimits, showKeys } from '../../sql/key.ts'
import type { ApiContext } from '../context.ts'
import type { Session } from '../intake/identity/session.ts'
import { addKey, MAX_GRACE_HOURS, parseCap, parseKeyName, replaceKey } from '../routes/account/schema.ts'
import { type Draft, keepTyped, LIMIT_FAULT, NO_DRAFT, renderField, renderSelect } from './parts/field.ts'
import { formatMoney, renderTime } from './parts/format.ts'
import { type Html, html } from './parts/html.ts'
import { renderCode, renderCsrfField, renderDashboardPage, renderNotice } from './parts/layout.ts'
import { definePrivatePage, type PageRequest } from './parts/page.ts'

const NOTICES: Record<string, Html> = {
  changed: renderNotice('good', 'Saved. New limits apply from the next call.'),
  revoked: renderNotice('good', 'The key is revoked. Calls that use it are now refused.'),
}
const GRACE_PERIODS = [
  ['0', 'at once'],
  ['1', 'in an hour'],
  ['24', 'in a day'],
  [String(MAX_GRACE_HOURS), 'in a week'],
] as const

/** What a page shows besides the keys: a notice or a new key, and a form that was refused. */
interface Extras {
  notice?: Html
  /** The form of the key with this prefix was refused; an empty prefix means the form for a new key. */
  draftOf?: string
  draft?: Draft
}

export const keyPages = [
  definePrivatePage('GET /dashboard/keys', ({ session, query }, context) =>
    renderKeysPage(context, session, { notice: NOTICES[query.done ?? ''] }),
  ),

  definePrivatePage('POST /dashboard/keys/new', (page, context) => createKey(page, context)),

  definePrivatePage('POST /dashboard/keys/rotate', async ({ session, form }, context) => {
    const grace = GRACE_PERIODS.find(([hours]) => hours === form.get('grace'))?.[0] ?? '0'
    const former = readPrefix(form)
    const { apiKey } = await replaceKey(context, session.caller, { former, graceHours: Number(grace) })
    const old = grace === '0' ? 'The old key has stopped working.' : 'The old key works on for the time you chose.'
    return renderKeysPage(context, session, { notice: renderNewKey(apiKey, old) })
  }),

  definePrivatePage('POST /dashboard/keys/revoke', async ({ session, form }, context) => {
    await dropKey(context.db, session.caller.accountId, readPrefix(form))
    context.keys.forget()
    return { redirectTo: '/dashboard/keys?done=revoked' }
  }),

  definePrivatePage('POST /dashboard/keys/change', (page, context) => saveKey(page, context)),
]

async function createKey({ session, form, reply }: PageRequest<Session>, context: ApiContext) {
  const { change, faults } = readSettings(form)
  try {
    if (Object.keys(faults).length === 0) {
      const { apiKey } = await addKey(context, session.caller, change)
      return await renderKeysPage(context, session, { notice: renderNewKey(apiKey, '') })
    }
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'TOO_MANY_KEYS') throw error
    faults.name = `You have ${String(error.hints.limit)} keys, which is the most. Revoke one first.`
  }
  reply.code(400)
  return renderKeysPage(context, session, { draftOf: '', draft: keepTyped(form, faults) })
}

async function saveKey({ session, form, reply }: PageRequest<Session>, context: ApiContext) {
  const prefix = readPrefix(form)
  const { change, faults } = readSettings(form)
  if (Object.keys(faults).length > 0) {
    reply.code(400)
    return renderKeysPage(context, session, { draftOf: prefix, draft: keepTyped(form, faults) })
  }
  await changeKey(context.db, { accountId: session.caller.accountId, prefix }, change)
  return { redirectTo: '/dashboard/keys?done=changed' }
}

function readPrefix(form: URLSearchParams): string {
  const prefix = form.get('prefix') ?? ''
  if (!/^\w{1,64}$/.test(prefix)) throw new Problem('NOT_FOUND')
  return prefix
}

function readSettings(form: URLSearchParams): { change: KeyChange; faults: Record<string, string> } {
  const faults: Record<string, string> = {}
  const change = {
    name: parseKeyName(form.get('name')) ?? null,
    callCapMicros: read('call'),
    dailyCapMicros: read('day'),
  }
  return { change, faults }

  function read(field: string): bigint | null {
    try {
      return parseCap(form.get(field))
    } catch {
      faults[field] = LIMIT_FAULT
      return null
    }
  }
}

async function renderKeysPage(context: ApiContext, session: Session, extras: Extras): Promise<Html> {
  const keys = await showKeys(context.db, session.caller.accountId)
  const { notice, draftOf, draft = NO_DRAFT } = extras
  const csrf = renderCsrfField(context, session)
  const cards = keys.map(key =>
    key.endsAt === null
      ? renderKeyCard(key, csrf, draftOf === key.prefix ? draft : NO_DRAFT)
      : renderEndingKey(key, key.endsAt, csrf),
  )
  const content = html`${notice}${cards}${renderNewKeyForm(keys.length === 0, csrf, draftOf === '' ? draft : NO_DRAFT)}`
  const lead =
    'Give each agent or program a key of its own, with limits, so that none can overspend and each can be replaced by itself.'
  return renderDashboardPage(context, session, { path: '/dashboard/keys', title: 'API keys', lead, content })
}

function renderNewKey(apiKey: string, text: string): Html {
  return html`<section class="card fresh" role="status"><h2>Your new key</h2><p>Copy it now. It is <strong>shown only once</strong>, because we store only a hash of it. ${text}</p>${renderCode(apiKey, 'The new API key')}</section>`
}

function renderNewKeyForm(isFirst: boolean, csrf: Html, draft: Draft): Html {
  const title = isFirst ? 'Create your first key' : 'Create another key'
  return html`<section class="card stack"><div><h2>${title}</h2>${isFirst && html`<p class="dim">You need one to call the API from code or from an agent.</p>`}</div>
<form method="post" action="/dashboard/keys/new" class="limits">${csrf}${renderSettings('new', draft)}<button class="button small" type="submit">Create API key</button></form></section>`
}

function renderSettings(id: string, draft: Draft, key?: KeyWithLimits): Html {
  const limit = html`inputmode="decimal" autocomplete="off" placeholder="no limit"`
  const limits = [
    ['call', 'Limit per call, USD', key?.callCapMicros],
    ['day', 'Limit per day, USD', key?.dailyCapMicros],
  ] as const
  return html`${renderField({ id: `name-${id}`, name: 'name', label: 'Name', value: key?.name ?? '', attributes: html`maxlength="60" autocomplete="off" placeholder="what it is for"` }, draft)}
${limits.map(([name, label, micros]) => renderField({ id: `${name}-${id}`, name, label, value: formatLimit(micros), attributes: limit }, draft))}`
}

function renderKeyCard(key: KeyWithLimits, csrf: Html, draft: Draft): Html {
  const { prefix, name, dailyCapMicros, spentTodayMicros } = key
  const hiddenFields = html`${csrf}<input type="hidden" name="prefix" value="${prefix}">`
  const spent =
    dailyCapMicros === null
      ? formatMoney(spentTodayMicros)
      : html`${formatMoney(spentTodayMicros)} of ${formatMoney(dailyCapMicros)}`
  return html`<section class="card key">
<header class="cap"><div><h2>${name ?? 'Key without a name'}</h2><p class="dim"><code>${prefix}…</code> ${renderUse(key)}</p></div><p class="spent"><strong>${spent}</strong> <span class="dim">spent today</span></p></header>
${dailyCapMicros !== null && html`<progress max="${dailyCapMicros}" value="${spentTodayMicros}" aria-label="Share of today's limit that is spent"></progress>`}
<form method="post" action="/dashboard/keys/change" class="limits">${hiddenFields}${renderSettings(prefix, draft, key)}<button class="button quiet small" type="submit">Save</button></form>
<div class="row foot-row">
<details><summary>Rotate</summary><form method="post" action="/dashboard/keys/rotate">${hiddenFields}<p class="dim">You get a new key with the same name and limits. Choose when the old one stops, so that you have time to replace it.</p>${renderSelect({ id: `grace-${prefix}`, name: 'grace', label: 'The old key stops' }, GRACE_PERIODS, '24')}<button class="button small" type="submit">Rotate key</button></form></details>
<details><summary class="danger">Revoke</summary><form method="post" action="/dashboard/keys/revoke">${hiddenFields}<p class="dim">Everything that uses this key stops working at once.</p><button class="button small danger" type="submit">Revoke key</button></form></details>
<p class="dim grow"><a href="/dashboard/ledger?key=${prefix}">Its charges</a></p>
</div></section>`
}

/** A key that was replaced and still works. Its calls count on the key that replaced it. */
function renderEndingKey(key: KeyWithLimits, endsAt: string, csrf: Html): Html {
  const { prefix, name } = key
  return html`<section class="card key ending"><header class="cap"><div><h2>${name ?? 'Key without a name'} <span class="pill wait">replaced</span></h2>
<p class="dim"><code>${prefix}…</code> works until ${renderTime(endsAt)} UTC. ${renderUse(key)}</p></div>
<form method="post" action="/dashboard/keys/revoke">${csrf}<input type="hidden" name="prefix" value="${prefix}"><button class="button quiet small" type="submit">Stop it now</button></form></header></section>`
}

function renderUse({ createdAt, lastUsedAt }: KeyWithLimits): Html {
  const used = lastUsedAt === null ? 'never used' : html`last used ${renderTime(lastUsedAt)}`
  return html`<span class="facts-line">Created ${renderTime(createdAt)}, ${used}</span>`
}

function formatLimit(micros: string | null | undefined): string {
  return micros ? formatMoney(micros).slice(1).replaceAll(',', '') : ''
}

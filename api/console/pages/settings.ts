import { Problem } from '#kit'
import {
  type AdminSetting,
  listAdminSettings,
  listChanges,
  setByOperator,
  undoChange,
} from '../../../sql/admin/settings.ts'
import { renderTime } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { type ConsoleRequest, defineConsolePage, hasRole } from '../page.ts'
import { renderChanges } from '../parts/changes.ts'
import { readMoment } from '../parts/form.ts'
import { renderAct, renderConsolePage, renderTable } from '../parts/layout.ts'

const SHOWN_CHANGES = 30

export const settingPages = [
  defineConsolePage('GET /settings', 'read', async ({ session, query, db }) => {
    const text = (query.q ?? '').trim().toLowerCase()
    const [all, changes] = await Promise.all([
      listAdminSettings(db),
      listChanges(db, 'setting', undefined, SHOWN_CHANGES),
    ])
    const found = all.filter(({ name, summary }) => `${name} ${summary}`.toLowerCase().includes(text))
    const content = html`<form action="/settings" class="limits"><div class="field"><label for="q">Name or meaning</label><input id="q" name="q" value="${text}"></div><button class="button small" type="submit">Search</button></form>
<section class="card flush">${renderTable(['Setting', 'Value', 'Meaning'], found.map(renderLine), 'No setting fits.')}</section>
<section class="card flush"><header class="cap"><h2>Changes</h2></header>${renderChanges(session, changes, '/settings')}</section>`
    return renderConsolePage(session, { path: '/settings', title: 'Settings', content })
  }),

  defineConsolePage('GET /settings/{name}', 'read', async ({ session, params, db }) => {
    const setting = (await listAdminSettings(db)).find(({ name }) => name === params.name)
    if (!setting) throw new Problem('NOT_FOUND')
    const changes = await listChanges(db, 'setting', setting.name, SHOWN_CHANGES)
    const content = html`<section class="card"><dl class="facts"><dt>Value</dt><dd>${formatValue(setting.value)}</dd><dt>By default</dt><dd>${formatValue(setting.standard)}</dd>
${setting.least !== null && html`<dt>From, to</dt><dd>${setting.least}, ${setting.most}</dd>`}${setting.updated_at && html`<dt>Changed</dt><dd>${renderTime(setting.updated_at)}</dd>`}</dl></section>
${hasRole(session, 'full') && renderForms(session, setting)}
<section class="card flush"><header class="cap"><h2>Changes</h2></header>${renderChanges(session, changes, `/settings/${setting.name}`)}</section>`
    return renderConsolePage(session, { path: '/settings', title: setting.name, lead: setting.summary, content })
  }),

  defineConsolePage('POST /settings/{name}', 'full', async ({ params, form, db }) => {
    const setting = (await listAdminSettings(db)).find(({ name }) => name === params.name)
    if (!setting) throw new Problem('NOT_FOUND')
    const next = form.has('standard') ? null : parseValue(setting, form.get('value') ?? '')
    await setByOperator(db, setting.name, next, readMoment(form.get('due'), 'due'))
    return { redirectTo: `/settings/${setting.name}` }
  }),

  defineConsolePage('POST /changes/{id}/undo', 'full', async ({ params, form, db }) => {
    if (!/^\d{1,18}$/.test(params.id!)) throw new Problem('NOT_FOUND')
    await undoChange(db, BigInt(params.id!))
    const back = form.get('back') ?? ''
    return { redirectTo: /^\/(settings|prices)(\/[\w.-]+)?$/.test(back) ? back : '/settings' }
  }),
]

/** The database says what is wrong with a value of the right form. */
function parseValue({ kind }: AdminSetting, text: string): unknown {
  if (kind === 'list')
    return text
      .split(',')
      .map(word => word.trim())
      .filter(Boolean)
  if (kind === 'boolean') return text === 'true'
  // What is no number stays a text, because as JSON it would be null, which is the default.
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

function renderLine({ name, value, summary, is_changed: isChanged }: AdminSetting): Html {
  return html`<tr><td><a href="/settings/${name}">${name}</a></td><td>${formatValue(value)} ${isChanged && html`<span class="pill wait">changed</span>`}</td><td>${summary}</td></tr>`
}

function renderForms(session: ConsoleRequest['session'], setting: AdminSetting): Html {
  const action = `/settings/${setting.name}`
  const due = html`<div class="field"><label for="due">At (UTC); empty for now</label><input id="due" name="due" type="datetime-local"></div>`
  const fields = html`<div class="field"><label for="value">New value</label>${renderInput(setting)}</div>${due}`
  return html`<section class="card stack"><h2>Change</h2>${renderAct(session, { action, label: 'Set', fields, needsReason: false })}
${setting.is_changed && renderAct(session, { action, label: 'Restore the default', fields: html`<input type="hidden" name="standard" value="yes">`, needsReason: false })}</section>`
}

function renderInput({ kind, value, least, most }: AdminSetting): Html {
  if (kind === 'boolean') {
    const option = (each: boolean) =>
      html`<option value="${String(each)}" ${each === value && html`selected`}>${String(each)}</option>`
    return html`<select id="value" name="value">${option(true)}${option(false)}</select>`
  }
  if (kind === 'list') return html`<input id="value" name="value" value="${formatValue(value)}">`
  return html`<input id="value" name="value" type="number" min="${least}" max="${most}" value="${String(value)}" required>`
}

function formatValue(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value)
}

import { isUuid, Problem } from '#kit'
import {
  type ConnectorRecord,
  limitConnector,
  revokeConnector,
  showConnectors,
} from '../../../../sql/connector/approvals.ts'
import type { ApiContext } from '../../../context.ts'
import type { Session } from '../../../intake/identity/session.ts'
import { type Draft, keepTyped, LIMIT_FAULT, NO_DRAFT, renderField } from '../../../pages/parts/field.ts'
import { formatMoney, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCode, renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'
import { parseCap } from '../../../routes/account/schema.ts'
import { renderScopes } from './parts/pieces.ts'

const NOTICES: Record<string, Html> = {
  changed: renderNotice('good', 'Saved. The new limit applies from the next call.'),
  revoked: renderNotice('good', 'The connector is revoked. Its calls are now refused.'),
}

export default [
  definePrivatePage('GET /dashboard/connectors', ({ session, query }, context) =>
    renderList(context, session, { notice: NOTICES[query.done ?? ''] }),
  ),

  definePrivatePage('POST /dashboard/connectors/limit', async ({ session, form, reply }, context) => {
    const id = readId(form)
    let dailyCapMicros: bigint | null
    try {
      dailyCapMicros = parseCap(form.get('day'))
    } catch {
      reply.code(400)
      return renderList(context, session, { draftOf: id, draft: keepTyped(form, { day: LIMIT_FAULT }) })
    }
    await limitConnector(context.db, { accountId: session.caller.accountId, id }, dailyCapMicros)
    return { redirectTo: '/dashboard/connectors?done=changed' }
  }),

  definePrivatePage('POST /dashboard/connectors/revoke', async ({ session, form }, context) => {
    await revokeConnector(context.db, session.caller.accountId, readId(form))
    context.keys.forget()
    return { redirectTo: '/dashboard/connectors?done=revoked' }
  }),
]

function readId(form: URLSearchParams): string {
  const id = form.get('id') ?? ''
  if (!isUuid(id)) throw new Problem('NOT_FOUND')
  return id
}

interface Extras {
  notice?: Html
  /** The form of this connector was refused. */
  draftOf?: string
  draft?: Draft
}

async function renderList(context: ApiContext, session: Session, extras: Extras): Promise<Html> {
  const connectors = await showConnectors(context.db, session.caller.accountId)
  const { notice, draftOf, draft = NO_DRAFT } = extras
  const csrf = renderCsrfField(context, session)
  const cards = connectors.map(connector => renderCard(connector, csrf, draftOf === connector.id ? draft : NO_DRAFT))
  const content = html`${notice}${cards.length === 0 && html`<section class="card"><p class="empty">No application is connected.</p></section>`}${cards}
<section class="card stack"><h2>Connect an application</h2><p>Add this address to an MCP client, for example as a custom connector. The client then brings you to a page of ours, where you approve it.</p>${renderCode(`${context.config.publicUrl}/mcp`, 'The address of the MCP server')}</section>`
  const lead = 'Applications that you have approved in the browser. They call tools for this account, within a limit.'
  return renderDashboardPage(context, session, { path: '/dashboard/connectors', title: 'Connectors', lead, content })
}

function renderCard(connector: ConnectorRecord, csrf: Html, draft: Draft): Html {
  const { id, name, redirectHost, scopes, dailyCapMicros, spentTodayMicros, keyPrefix } = connector
  const fields = html`${csrf}<input type="hidden" name="id" value="${id}">`
  const spent =
    dailyCapMicros === null
      ? formatMoney(spentTodayMicros)
      : html`${formatMoney(spentTodayMicros)} of ${formatMoney(dailyCapMicros)}`
  const value = dailyCapMicros === null ? '' : formatMoney(dailyCapMicros).slice(1).replaceAll(',', '')
  const attributes = html`inputmode="decimal" autocomplete="off" placeholder="no limit"`
  return html`<section class="card key">
<header class="cap"><div><h2>${name ?? 'Application without a name'}</h2><p class="dim">${renderUse(connector)} Returns to ${redirectHost}.</p></div><p class="spent"><strong>${spent}</strong> <span class="dim">spent today</span></p></header>
${renderScopes(scopes)}
<form method="post" action="/dashboard/connectors/limit" class="limits">${fields}${renderField({ id: `day-${id}`, name: 'day', label: 'Limit per day, USD', value, attributes }, draft)}<button class="button quiet small" type="submit">Save</button></form>
<div class="row foot-row">
<details><summary class="danger">Revoke</summary><form method="post" action="/dashboard/connectors/revoke">${fields}<p class="dim">The application is refused at once. It can ask for another approval.</p><button class="button small danger" type="submit">Revoke connector</button></form></details>
<p class="dim grow"><a href="/dashboard/ledger?key=${keyPrefix}">Its charges</a></p>
</div></section>`
}

function renderUse({ approvedAt, lastUsedAt }: ConnectorRecord): Html {
  const used = lastUsedAt === null ? 'never used' : html`last used ${renderTime(lastUsedAt)}`
  return html`Approved ${renderTime(approvedAt)}, ${used}.`
}

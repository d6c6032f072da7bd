import { isUuid, Problem } from '#kit'
import { useAfterUpload } from '../../../../ops/products/baton/uploads.ts'
import { deleteBaton } from '../../../../sql/baton/lifecycle.ts'
import { type BatonDetails, readBatonDetails } from '../../../../sql/baton/list.ts'
import { revokeToken } from '../../../../sql/baton/tokens.ts'
import type { Visitor } from '../../../../sql/baton/visitor.ts'
import type { Session } from '../../../intake/identity/session.ts'
import { formatBytes, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage, type PageRequest } from '../../../pages/parts/page.ts'
import { describeVectors, renderState, renderUse, shortenId } from './parts/pieces.ts'

/** The states in which it can still be used. */
const OPEN_STATES = ['active', 'witnessed']

export default [
  definePrivatePage('GET /dashboard/storage/{id}', async (page, context) => {
    const { session, params, query } = page
    const id = requireUuid(params.id)
    const found = await readBatonDetails(context.db, session.caller.accountId, id)
    if (!found) throw new Problem('NOT_FOUND')
    const { name, preset, state } = found.baton
    const isOpen = OPEN_STATES.includes(state)
    const csrf = renderCsrfField(context, session)
    const content = html`${query.done === 'revoked' && renderNotice('good', 'The token is revoked.')}
<section class="card">${renderFacts(found)}${isOpen && renderDeletion(id, csrf)}</section>
<section class="card flush"><header class="cap"><h2>Tokens</h2></header>${renderTokens(found, isOpen, csrf)}</section>
<section class="card flush"><header class="cap"><h2>Last events</h2></header>${renderLogs(found)}</section>`
    const lead = html`A ${preset}. <a href="/dashboard/storage">All batons and leases</a>`
    return renderDashboardPage(context, session, { path: '/dashboard/storage', title: name ?? 'Baton', lead, content })
  }),

  definePrivatePage('POST /dashboard/storage/{id}/delete', async (page, context) => {
    await useAfterUpload(context, identifyOwner(page), owner => deleteBaton(context.db, owner, {}))
    return { redirectTo: '/dashboard/storage?done=deleted' }
  }),

  definePrivatePage('POST /dashboard/storage/{id}/revoke', async (page, context) => {
    const token = requireUuid(page.form.get('token'))
    await revokeToken(context.db, identifyOwner(page), token)
    return { redirectTo: `/dashboard/storage/${page.params.id}?done=revoked` }
  }),
]

function requireUuid(text: string | null | undefined): string {
  if (!text || !isUuid(text)) throw new Problem('NOT_FOUND')
  return text
}

function identifyOwner({ session, params, request }: PageRequest<Session>): Visitor {
  return { baton: requireUuid(params.id), account: session.caller.accountId, ip: request.ip }
}

function renderDeletion(id: string, csrf: Html): Html {
  return html`<div class="row"><details><summary class="danger">Delete</summary><form method="post" action="/dashboard/storage/${id}/delete">${csrf}<p class="dim">Nobody can read or write it from then on, and nothing of its price is given back.</p><button class="button small" type="submit">Delete baton</button></form></details></div>`
}

function renderFacts({ baton }: BatonDetails): Html {
  const { vectors } = baton
  const facts: [string, Html | string][] = [
    ['Id', html`<code>${baton.id}</code>`],
    ['State', renderState(baton.state)],
    ['Tier', baton.tier],
    ['Stored', renderUse(formatBytes(baton.storedBytes), formatBytes(baton.sizeBytes), '')],
    ['Egress', renderUse(formatBytes(baton.egressUsed), formatBytes(baton.egressBytes), '')],
    ['Reads', renderUse(baton.readsUsed, baton.maxReads, '')],
    ['Writes', renderUse(baton.writesUsed, baton.maxWrites, '')],
    ...(vectors ? [['Vectors', describeVectors(vectors)] as [string, string]] : []),
    ['Created', renderTime(baton.createdAt)],
    ['Ends', renderTime(baton.expiresAt)],
  ]
  return html`<dl class="facts">${facts.map(([name, fact]) => html`<dt>${name}</dt><dd>${fact}</dd>`)}</dl>`
}

function renderTokens({ baton, tokens }: BatonDetails, isOpen: boolean, csrf: Html): Html {
  if (tokens.length === 0) return html`<p class="empty">No tokens.</p>`
  const revocation = (token: BatonDetails['tokens'][number]) =>
    isOpen &&
    token.state === 'active' &&
    html`<form method="post" action="/dashboard/storage/${baton.id}/revoke">${csrf}<input type="hidden" name="token" value="${token.writer.replace('token:', '')}"><button class="button small" type="submit" aria-label="Revoke ${shortenId(token.writer)}">Revoke</button></form>`
  const rows = tokens.map(
    token =>
      html`<tr><td class="what">${shortenId(token.writer)} <span class="dim">${token.type.replace('_', ' and ')}</span></td><td class="state">${renderState(token.state)}</td><td class="use">${renderUse(token.readsUsed, token.readsAllowed, 'reads')}</td><td class="use">${renderUse(token.writesUsed, token.writesAllowed, 'writes')}</td><td class="when">${token.expiresAt ? renderTime(token.expiresAt) : 'with it'}</td><td>${revocation(token)}</td></tr>`,
  )
  return html`<table class="table lines uses"><thead><tr><th scope="col">Token</th><th scope="col">State</th><th scope="col">Reads</th><th scope="col">Writes</th><th scope="col">Ends</th><th scope="col">Revoke</th></tr></thead><tbody>${rows}</tbody></table>`
}

function renderLogs({ logs }: BatonDetails): Html {
  const rows = logs.map(
    log =>
      html`<tr><td class="when">${renderTime(log.createdAt)}</td><td class="what">${log.type}</td><td class="state">${shortenId(log.writer)}</td></tr>`,
  )
  return html`<table class="table lines uses"><thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">By</th></tr></thead><tbody>${rows}</tbody></table>`
}

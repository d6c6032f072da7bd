import { isUuid, Problem } from '#kit'
import { type BatonDetails, readBatonDetails } from '../../../../sql/baton/list.ts'
import { formatBytes, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderDashboardPage } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'
import { describeVectors, renderState, renderUse, shortenId } from './parts/pieces.ts'

export default [
  definePrivatePage('GET /dashboard/storage/{id}', async ({ session, params }, context) => {
    const id = params.id!
    const found = isUuid(id) ? await readBatonDetails(context.db, session.caller.accountId, id) : null
    if (!found) throw new Problem('NOT_FOUND')
    const content = html`<section class="card">${renderFacts(found)}</section>
<section class="card flush"><header class="cap"><h2>Tokens</h2></header>${renderTokens(found)}</section>
<section class="card flush"><header class="cap"><h2>Last events</h2></header>${renderLogs(found)}</section>`
    const { name, preset } = found.baton
    const lead = html`A ${preset}. <a href="/dashboard/storage">All batons and leases</a>`
    return renderDashboardPage(context, session, { path: '/dashboard/storage', title: name ?? 'Baton', lead, content })
  }),
]

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

function renderTokens({ tokens }: BatonDetails): Html {
  if (tokens.length === 0) return html`<p class="empty">No tokens.</p>`
  const rows = tokens.map(
    token =>
      html`<tr><td class="what">${shortenId(token.writer)} <span class="dim">${token.type.replace('_', ' and ')}</span></td><td class="state">${renderState(token.state)}</td><td class="use">${renderUse(token.readsUsed, token.readsAllowed, 'reads')}</td><td class="use">${renderUse(token.writesUsed, token.writesAllowed, 'writes')}</td><td class="when">${token.expiresAt ? renderTime(token.expiresAt) : 'with it'}</td></tr>`,
  )
  return html`<table class="table lines uses"><thead><tr><th scope="col">Token</th><th scope="col">State</th><th scope="col">Reads</th><th scope="col">Writes</th><th scope="col">Ends</th></tr></thead><tbody>${rows}</tbody></table>`
}

function renderLogs({ logs }: BatonDetails): Html {
  const rows = logs.map(
    log =>
      html`<tr><td class="when">${renderTime(log.createdAt)}</td><td class="what">${log.type}</td><td class="state">${shortenId(log.writer)}</td></tr>`,
  )
  return html`<table class="table lines uses"><thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">By</th></tr></thead><tbody>${rows}</tbody></table>`
}

import { type BatonSummary, listBatons } from '../../../../sql/baton/list.ts'
import { type LiveLease, listLiveLeases } from '../../../../sql/lease/index.ts'
import { countOf, formatBytes, readOffset, renderPager, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'
import { describeVectors, renderState, renderUse, shortenId } from './parts/pieces.ts'

const PAGE_SIZE = 25
const MAX_LEASES = 100

export default [
  definePrivatePage('GET /dashboard/storage', async ({ session, query }, context) => {
    const offset = readOffset(query)
    const account = session.caller.accountId
    const [batons, leases] = await Promise.all([
      listBatons(context.db, account, { limit: PAGE_SIZE + 1, offset }),
      listLiveLeases(context.db, account, MAX_LEASES),
    ])
    const content = html`${query.done === 'deleted' && renderNotice('good', 'The baton is deleted.')}
<section class="card flush"><header class="cap"><h2>Batons</h2></header>${renderBatons(batons.slice(0, PAGE_SIZE))}</section>
${renderPager('/dashboard/storage', {}, { offset, size: PAGE_SIZE, hasMore: batons.length > PAGE_SIZE })}
<section class="card flush"><header class="cap"><h2>Leases</h2></header>${renderLeases(leases)}</section>`
    const lead = 'Batons hold files, texts and logs that were paid for at once; leases are checkpoints and mailboxes.'
    return renderDashboardPage(context, session, { path: '/dashboard/storage', title: 'Storage', lead, content })
  }),
]

function renderBatons(batons: readonly BatonSummary[]): Html {
  if (batons.length === 0)
    return html`<p class="empty">No batons yet. <code>POST /v1/baton</code> creates one; <a href="/docs/baton">the docs</a> say how.</p>`
  const rows = batons.map(
    baton =>
      html`<tr><td class="what"><a href="/dashboard/storage/${baton.id}">${baton.name ?? shortenId(baton.id)}</a> <span class="dim">${baton.preset}${baton.vectors ? `: ${describeVectors(baton.vectors)}` : ''}</span></td><td class="state">${renderState(baton.state)}</td><td class="use">${renderUse(formatBytes(baton.storedBytes), formatBytes(baton.sizeBytes), 'stored')}<br>${renderUse(formatBytes(baton.egressUsed), formatBytes(baton.egressBytes), 'read')}</td><td class="use">${renderUse(baton.readsUsed, baton.maxReads, 'reads')}<br>${renderUse(baton.writesUsed, baton.maxWrites, 'writes')}</td><td class="when">${renderTime(baton.expiresAt)}</td></tr>`,
  )
  return html`<table class="table lines uses"><thead><tr><th scope="col">Baton</th><th scope="col">State</th><th scope="col">Bytes</th><th scope="col">Uses</th><th scope="col">Ends</th></tr></thead><tbody>${rows}</tbody></table>`
}

function renderLeases(leases: readonly LiveLease[]): Html {
  if (leases.length === 0) return html`<p class="empty">No live leases.</p>`
  const rows = leases.map(
    lease =>
      html`<tr><td class="what">${lease.name} <span class="dim">${lease.kind}</span></td><td class="use">${renderUse(formatBytes(lease.usedBytes), formatBytes(lease.sizeBytes), '')}</td><td class="state">${describeContent(lease)}</td><td class="when">${renderTime(lease.expiresAt)}</td></tr>`,
  )
  return html`<table class="table lines uses"><thead><tr><th scope="col">Lease</th><th scope="col">Used</th><th scope="col">Content</th><th scope="col">Ends</th></tr></thead><tbody>${rows}</tbody></table>`
}

function describeContent({ kind, version, messages }: LiveLease): string {
  if (kind === 'checkpoint') return `version ${version}`
  return kind === 'mailbox' ? countOf(messages, 'message') : ''
}

import { type ContractView, listContracts, readContract, withdrawContract } from '../../../../sql/contract/contracts.ts'
import { readOffset, renderPager, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'
import { parseContractId } from '../schema.ts'
import { describeStatus, renderDisputes, renderDocument, renderParties } from '../view.ts'

const PATH = '/dashboard/contracts'
const PAGE_SIZE = 25

export default [
  definePrivatePage(`GET ${PATH}`, async ({ session, query }, context) => {
    const offset = readOffset(query)
    const page = { limit: PAGE_SIZE + 1, offset }
    const found = await listContracts(context.db, session.caller.accountId, undefined, page)
    const table =
      found.length > 0
        ? renderTable(found.slice(0, PAGE_SIZE))
        : html`<p class="empty">No contracts yet. <a href="/docs/contracts">How they are made</a></p>`
    const content = html`<section class="card flush">${table}</section>
${renderPager(PATH, {}, { offset, size: PAGE_SIZE, hasMore: found.length > PAGE_SIZE })}`
    return renderDashboardPage(context, session, { path: PATH, title: 'Contracts', content })
  }),

  definePrivatePage(`GET ${PATH}/{id}`, async ({ session, params, query }, context) => {
    const { accountId } = session.caller
    const view = await readContract(context.db, { accountId, contractId: parseContractId(params.id!) })
    const canWithdraw = view.isCreator && view.status === 'pending'
    const withdraw = html`<form method="post" action="${PATH}/${view.id}/withdraw">${renderCsrfField(context, session)}<button class="button quiet" type="submit">Withdraw the contract</button></form>`
    const content = html`<p><a href="${PATH}">← All contracts</a></p>
${query.done === 'withdrawn' && renderNotice('good', 'The contract is withdrawn. Nobody can sign it any more.')}
<section class="card stack"><p>${describeStatus(view)}</p>${renderDocument(view)}</section>
<section class="card stack"><h2>Parties</h2>${renderParties(view)}${renderDisputes(view)}
<dl class="facts"><dt>Id</dt><dd><code>${view.id}</code></dd><dt>Terms hash</dt><dd><code>${view.termsHash}</code></dd><dt>Log</dt><dd>${view.log.entries} entries, the last has the hash <code>${view.log.head.slice(0, 16)}</code></dd><dt>Until</dt><dd>${renderTime(view.expiresAt)}</dd></dl>
<p class="dim"><code>GET /v1/contracts/${view.id}/bundle</code> has all that is needed to check it without this service.</p>
${canWithdraw && withdraw}</section>`
    return renderDashboardPage(context, session, { path: PATH, title: view.title, content })
  }),

  definePrivatePage(`POST ${PATH}/{id}/withdraw`, async ({ session, params }, context) => {
    await withdrawContract(context.db, session.caller.accountId, parseContractId(params.id!))
    return { redirectTo: `${PATH}/${params.id}?done=withdrawn` }
  }),
]

function renderTable(contracts: readonly ContractView[]): Html {
  const lines = contracts.map(({ id, title, status, parties, createdAt }) => {
    const signed = parties.filter(party => party.status === 'signed').length
    return html`<tr><td class="when">${renderTime(createdAt)}</td><td class="what"><a href="${PATH}/${id}">${title}</a></td><td>${signed} of ${parties.length} signed</td><td class="state">${status}</td></tr>`
  })
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">Title</th><th scope="col">Signatures</th><th scope="col">Status</th></tr></thead><tbody>${lines}</tbody></table>`
}

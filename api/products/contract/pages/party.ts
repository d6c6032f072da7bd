import { Problem } from '#kit'
import { type ContractView, type PartyView, readContract } from '../../../../sql/contract/contracts.ts'
import { declineContract } from '../../../../sql/contract/signatures.ts'
import { buildTypedData } from '../../../../tasks/products/contract/index.ts'
import type { ApiContext } from '../../../context.ts'
import { requireStorable } from '../../../intake/body/storable.ts'
import { returnAfterSignIn } from '../../../intake/identity/session.ts'
import { renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderNotice } from '../../../pages/parts/layout.ts'
import type { PageRequest } from '../../../pages/parts/page.ts'
import { defineTokenPage, renderTokenPage } from '../../../pages/parts/token-page.ts'
import { renderAgreementForm } from '../../../pages/parts/wallet-form.ts'
import { findReader } from '../reading.ts'
import { NOTICE, PARTY, parseContractId } from '../schema.ts'
import { signByAccount, signByWallet } from '../signing.ts'
import { describeStatus, renderDisputes, renderDocument, renderParties } from '../view.ts'

export default [
  defineTokenPage('GET /contracts/{token}', async (page, context) => {
    const done = DONE[page.query.done ?? '']
    return render(context, page, await read(page, context), done === undefined ? undefined : renderNotice('good', done))
  }),

  defineTokenPage('POST /contracts/{token}', async (page, context) => {
    const view = await read(page, context)
    try {
      const done = await act(page, context, view)
      return { redirectTo: `/contracts/${encodeURIComponent(page.params.token!)}?done=${done}` }
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error
      page.reply.code(error.status)
      return render(context, page, await read(page, context), renderNotice('bad', error.message))
    }
  }),
]

const DONE: Record<string, string> = {
  signed: 'You have signed. Keep this link: the contract can be read here.',
  declined: 'You have declined. Nobody can sign this contract any more.',
}

const MAX_REASON = 500

/** Only by the token of a party: the id of a contract opens no page. */
function read({ params, request, session }: PageRequest, context: ApiContext): Promise<ContractView> {
  const contract = params.token!
  if (!PARTY.hasForm(contract)) throw new Problem('NOT_FOUND')
  return readContract(context.db, findReader(context, { caller: session?.caller, params: { contract }, request }))
}

async function act(page: PageRequest, context: ApiContext, view: ContractView): Promise<'signed' | 'declined'> {
  const { form, params, request, session } = page
  const partyKey = view.partyKey!
  if (form.get('act') === 'decline') {
    const asked = { caller: session?.caller, params: { contract: params.token! }, request }
    const reason = form.get('reason')?.trim().slice(0, MAX_REASON).toWellFormed() || undefined
    requireStorable('reason', reason, 4 * MAX_REASON)
    await declineContract(context.db, findReader(context, asked), partyKey, reason)
    return 'declined'
  }
  const signer = { id: parseContractId(view.id), partyKey, accountId: session?.caller.accountId, ip: request.ip }
  const [signature, address] = [form.get('signature') ?? '', form.get('address') ?? '']
  if (form.get('act') === 'wallet')
    await signByWallet(context, signer, { signature, address, signedAt: Number(form.get('signedAt')) })
  else await signByAccount(context, { ...signer, accountId: requireAccount(session) }, form.get('termsHash') ?? '')
  return 'signed'
}

function requireAccount(session: PageRequest['session']): string {
  if (!session) throw new Problem('NOT_A_PARTY')
  return session.caller.accountId
}

function render(context: ApiContext, { params, session, reply }: PageRequest, view: ContractView, notice?: Html): Html {
  const party = view.parties.find(({ key }) => key === view.partyKey)!
  if (!session && party.method === 'account')
    returnAfterSignIn(context, reply, `/contracts/${encodeURIComponent(params.token!)}`)
  const isOpen = view.status === 'pending' && party.status === 'pending' && Date.parse(view.expiresAt) > Date.now()
  const content = html`${notice}
<p role="status">${describeStatus(view)} You are <strong>${party.name ?? party.key}</strong>${party.role !== null && html`, ${party.role}`}.</p>
${renderDocument(view)}
<h2>Parties</h2>${renderParties(view)}${renderDisputes(view, params.token)}
<p class="dim">Terms hash <code>${view.termsHash}</code>. ${NOTICE}</p>
${isOpen && html`<p class="dim">Sign or decline until ${renderTime(view.expiresAt)} UTC.</p>${renderSigning(view, party, session !== undefined)}${renderDecline()}`}`
  return renderTokenPage(context, view.title, content)
}

function renderSigning(view: ContractView, party: PartyView, isSignedIn: boolean): Html {
  const consent = (id: string) =>
    html`<div class="option"><input type="checkbox" id="${id}" required><label for="${id}">I have read the contract and agree to its terms.</label></div>`
  if (party.method === 'wallet') {
    const typed = buildTypedData({ ...view, party }, Math.floor(Date.now() / 1_000))
    const fields = html`<input type="hidden" name="act" value="wallet">${consent('consent')}`
    const button = html`<button class="button" type="submit">Sign with the wallet</button>`
    return html`<p>Sign with the wallet <code>${party.address}</code>, in a browser that has it; a program posts to <code>/v1/contracts/${view.id}/sign</code>.</p>${renderAgreementForm(typed, fields, button)}`
  }
  if (!isSignedIn)
    return html`<p class="note plain">You sign with your account${party.email !== null && html`, which has the mail address <strong>${party.email}</strong>`}. <a href="/sign-in">Sign in</a>; from there you come back here.</p>`
  return html`<form method="post"><input type="hidden" name="act" value="account"><input type="hidden" name="termsHash" value="${view.termsHash}">${consent('consent')}<button class="button" type="submit">Sign</button></form>`
}

function renderDecline(): Html {
  return html`<details><summary class="danger">Decline</summary><form method="post"><input type="hidden" name="act" value="decline"><div class="field"><label for="reason">Reason, if you like</label><textarea id="reason" name="reason" rows="2" maxlength="${MAX_REASON}"></textarea></div><button class="button quiet" type="submit">Decline the contract</button></form></details>`
}

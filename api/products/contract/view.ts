import type { ContractView, PartyView } from '../../../sql/contract/contracts.ts'
import type { DisputeView } from '../../../sql/contract/disputes.ts'
import { renderTime } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderMarkup } from '../../pages/parts/markup.ts'

const STATUSES: Record<ContractView['status'], string> = {
  pending: 'This contract waits for signatures.',
  active: 'All parties that are required have signed this contract.',
  disputed: 'A dispute about this contract is open.',
  ruled: 'A dispute about this contract was ruled upon.',
  declined: 'A party has declined this contract.',
  expired: 'This contract was not signed in time.',
  withdrawn: 'This contract was withdrawn by whoever has made it.',
  superseded: 'Another contract has taken the place of this one.',
}

export function describeStatus({ status, expiresAt }: Pick<ContractView, 'status' | 'expiresAt'>): string {
  const isOver = status === 'pending' && Date.parse(expiresAt) <= Date.now()
  return STATUSES[isOver ? 'expired' : status]
}

/** What the parties agree to. */
export function renderDocument({ document: { terms, attachments, effectiveAt, arbitration } }: ContractView): Html {
  const text =
    typeof terms === 'string'
      ? html`<div class="question">${renderMarkup(terms)}</div>`
      : html`<pre class="text" tabindex="0">${JSON.stringify(terms, null, 2)}</pre>`
  const files = attachments.map(({ name, sha256 }) => html`<li>${name} <code class="dim">${sha256}</code></li>`)
  return html`<h2>Terms</h2>${text}
${effectiveAt !== undefined && html`<p>In effect from ${renderTime(effectiveAt)} UTC.</p>`}
${arbitration && html`<p>The parties agree that disputes are ruled upon by ${arbitration.arbitrator === 'ai' ? 'a language model' : 'the operator of this service'}, who gets evidence for ${arbitration.evidenceWindowHours} hours.${arbitration.rules !== undefined && ` Rules: ${arbitration.rules}`}</p>`}
${files.length > 0 && html`<h2>Attached, by their SHA-256</h2><ul class="plain">${files}</ul>`}`
}

export function renderParties({ parties }: Pick<ContractView, 'parties'>): Html {
  return html`<ul class="plain">${parties.map(renderParty)}</ul>`
}

function renderParty({
  key,
  name,
  role,
  method,
  address,
  email,
  customerId,
  required,
  status,
  signedAt,
}: PartyView): Html {
  const who = address ?? email ?? customerId
  const done = status === 'signed' ? html`signed ${renderTime(signedAt!)} UTC` : status
  return html`<li><strong>${name ?? key}</strong>${role !== null && `, ${role}`} <span class="dim">${method} ${who}${!required && ', not required'}</span>: ${done}</li>`
}

/** With the token of a party, files of evidence are links. */
export function renderDisputes({ disputes }: Pick<ContractView, 'disputes'>, token?: string): Html | false {
  return disputes.length > 0 && html`<h2>Disputes</h2>${disputes.map(dispute => renderDispute(dispute, token))}`
}

function renderDispute(dispute: DisputeView, token: string | undefined): Html {
  const { disputeId, status, claimant, claim, requestedRelief, evidenceDeadline, evidence, ruling } = dispute
  const items = evidence.map(({ id, partyKey, title, file }) => {
    const path = token && `/v1/contracts/${token}/disputes/${disputeId}/evidence/${id}`
    const name = file && (path ? html` (<a href="${path}" download>${file.name}</a>)` : ` (${file.name})`)
    return html`<li>${id}, of ${partyKey}: ${title}${file !== null && name}</li>`
  })
  return html`<div class="part"><p>${claimant} says: ${claim}</p><p>Wanted: ${requestedRelief}</p><p class="dim">${status === 'open' && html`Evidence until ${renderTime(evidenceDeadline)} UTC.`}${status !== 'open' && `It is ${status}.`}</p>
${items.length > 0 && html`<ul class="plain">${items}</ul>`}
${ruling !== null && html`<p><strong>${ruling.outcome.replaceAll('_', ' ')}</strong></p><p>${ruling.summary}</p>`}</div>`
}

import { newId, Problem } from '#kit'
import {
  cancelEnvelope,
  type DocumentsView,
  type EnvelopeView,
  listDocuments,
  listEnvelopes,
  makeLink,
  type RecipientView,
  readEnvelope,
  resendEnvelope,
} from '../../../../sql/esigndoc/envelopes.ts'
import { type AuditEntry, listAuditEntries } from '../../../../sql/product/audit.ts'
import { priceEnvelope } from '../../../../tasks/products/esigndoc/index.ts'
import type { ApiContext } from '../../../context.ts'
import type { Session } from '../../../intake/identity/session.ts'
import { callPricedRoute } from '../../../intake/page-call.ts'
import { describeRefusal } from '../../../pages/parts/field.ts'
import { formatMoney, readOffset, renderPager, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage, type PageRequest } from '../../../pages/parts/page.ts'
import { findDocument, openDocument, VERSIONS } from '../document-files.ts'
import { readNumber } from '../page-images.ts'
import { newLink } from '../recipients.ts'
import { parseEnvelopeId, parseRecipientId, STATUSES } from '../schema.ts'
import { writeSigningUrl } from '../showing.ts'

const PATH = '/dashboard/envelopes'
const PAGE_SIZE = 25
const LOG_SIZE = 200

export default [
  definePrivatePage(`GET ${PATH}`, async ({ session, query }, context) => {
    const offset = readOffset(query)
    const page = { limit: PAGE_SIZE + 1, offset }
    const status = STATUSES.find(one => one === query.status)
    const found = await listEnvelopes(context.db, session.caller.accountId, { status }, page)
    const none = status
      ? html`<p class="empty">None of your envelopes is ${showStatus(status)}.</p>`
      : html`<p class="empty">No envelopes yet. Make a <a href="${PATH}/templates/new">template</a> of a document and send it, or <a href="/docs/esigndoc">send one by a call</a>.</p>`
    const table = found.length > 0 ? renderTable(found.slice(0, PAGE_SIZE)) : none
    const content = html`${renderFilter(status)}<section class="card flush">${table}</section>
${renderPager(PATH, status ? { status } : {}, { offset, size: PAGE_SIZE, hasMore: found.length > PAGE_SIZE })}
<p class="row"><a class="button" href="${PATH}/templates/new">New template</a><a href="${PATH}/templates">Templates</a></p>`
    return renderDashboardPage(context, session, { path: PATH, title: 'Envelopes', content })
  }),

  definePrivatePage(`GET ${PATH}/{id}`, async ({ session, params, query }, context) => {
    const view = await readEnvelope(context.db, session.caller.accountId, parseEnvelopeId(params.id!))
    return renderEnvelope(context, session, view, NOTICES[query.done ?? ''])
  }),

  definePrivatePage(`GET ${PATH}/{id}/download`, async ({ session, params, query }, context) => {
    const version = VERSIONS.find(one => one === query.version) ?? 'current'
    const found = await listDocuments(context.db, session.caller.accountId, parseEnvelopeId(params.id!))
    return openDocument(context, findDocument(found, version, readNumber(query.file ?? '0')))
  }),

  definePrivatePage(`POST ${PATH}/{id}/cancel`, async ({ session, params }, context) => {
    await cancelEnvelope(context.db, session.caller.accountId, parseEnvelopeId(params.id!), undefined)
    return { redirectTo: `${PATH}/${params.id}?done=cancelled` }
  }),

  definePrivatePage(`POST ${PATH}/{id}/resend`, async (page, context) => {
    const { session, params } = page
    const again = { recipientIds: undefined, message: undefined }
    try {
      await resendEnvelope(context.db, session.caller.accountId, parseEnvelopeId(params.id!), again)
    } catch (error) {
      if (!(error instanceof Problem) || !TOO_OFTEN.has(error.code)) throw error
      return renderRefused(context, page, error, error.message)
    }
    return { redirectTo: `${PATH}/${params.id}?done=resent` }
  }),

  definePrivatePage(`POST ${PATH}/{id}/send`, async (page, context) => {
    const { session, params, form } = page
    const call = { caller: session.caller, body: {}, idempotencyKey: form.get('key') ?? newId() }
    try {
      await callPricedRoute(context, page, 'POST /v1/esigndoc/envelopes/{id}/send', call)
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500 || error.code === 'NOT_FOUND') throw error
      return renderRefused(context, page, error, `${describeRefusal(error)} Nothing was sent, and nothing was charged.`)
    }
    return { redirectTo: `${PATH}/${params.id}?done=sent` }
  }),

  definePrivatePage(`POST ${PATH}/{id}/link`, async (page, context) => {
    const { session, params, form } = page
    const recipient = parseRecipientId(form.get('recipient') ?? '')
    const link = newLink(context, recipient)
    await makeLink(context.db, session.caller.accountId, parseEnvelopeId(params.id!), recipient, link)
    return { redirectTo: `${PATH}/${params.id}?done=link` }
  }),
]

/** The page again, with why it was not done. */
async function renderRefused(context: ApiContext, page: PageRequest<Session>, problem: Problem, text: string) {
  const { session, params, reply } = page
  reply.code(problem.status)
  const view = await readEnvelope(context.db, session.caller.accountId, parseEnvelopeId(params.id!))
  return renderEnvelope(context, session, view, renderNotice('bad', text))
}

const TOO_OFTEN = new Set(['RESENT_RECENTLY', 'RESENDS_EXHAUSTED'])

const NOTICES: Record<string, Html> = {
  cancelled: renderNotice('good', 'The envelope is cancelled. Its links are of no use any more.'),
  sent: renderNotice('good', 'Sent. Whoever has the turn can sign now.'),
  link: renderNotice('good', 'The recipient has a new link. The old one is of no use any more.'),
  resent: renderNotice('good', 'Those who have the turn and a mail address are reminded.'),
}

/** As a form, which works without scripts. */
function renderFilter(chosen: string | undefined): Html {
  const options = STATUSES.map(
    one => html`<option value="${one}" ${one === chosen && html`selected`}>${showStatus(one)}</option>`,
  )
  return html`<form method="get" class="row"><label for="status">State</label><select id="status" name="status"><option value="">all</option>${options}</select><button class="button quiet small" type="submit">Show</button></form>`
}

function showStatus(status: string): string {
  return status.replace('_', ' ')
}

function renderTable(envelopes: readonly EnvelopeView[]): Html {
  const lines = envelopes.map(
    ({ id, title, status, progress, createdAt }) =>
      html`<tr><td class="when">${renderTime(createdAt)}</td><td class="what"><a href="${PATH}/${id}">${title}</a></td><td>${progress.signed} of ${progress.total} signed</td><td class="state">${showStatus(status)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">Title</th><th scope="col">Progress</th><th scope="col">State</th></tr></thead><tbody>${lines}</tbody></table>`
}

async function renderEnvelope(context: ApiContext, session: Session, view: EnvelopeView, notice: Html | undefined) {
  const subject = { accountId: session.caller.accountId, kind: 'envelope', id: parseEnvelopeId(view.id) }
  const [log, documents] = await Promise.all([
    listAuditEntries(context.db, subject, 0, LOG_SIZE),
    listDocuments(context.db, subject.accountId, subject.id),
  ])
  const { id, status, progress, pages } = view
  const isOut = status === 'sent' || status === 'in_progress'
  const content = html`<p><a href="${PATH}">← All envelopes</a></p>${notice}
<section class="card stack"><p role="status">${showStatus(status)}: ${progress.signed} of ${progress.total} have signed.</p><progress max="${Math.max(1, progress.total)}" value="${progress.signed}" aria-label="Progress"></progress>
<dl class="facts"><dt>Documents</dt><dd>${renderDocuments(id, documents)}${pages} pages</dd>${renderSeal(view.seal)}<dt>Made</dt><dd>${renderTime(view.createdAt)}</dd>${view.sentAt !== null && html`<dt>Sent</dt><dd>${renderTime(view.sentAt)}</dd>`}${view.completedAt !== null && html`<dt>Completed</dt><dd>${renderTime(view.completedAt)}</dd>`}${isOut && view.expiresAt !== null && html`<dt>Until</dt><dd>${renderTime(view.expiresAt)}</dd>`}<dt>Charged</dt><dd>${formatMoney(view.chargedMicros)}</dd>${view.signedSha256 !== null && html`<dt>SHA-256</dt><dd><code>${view.signedSha256}</code></dd>`}<dt>Id</dt><dd><code>${id}</code></dd></dl>
${(isOut || status === 'draft') && html`<div class="decide">${renderActions(context, session, view)}</div>`}</section>
<section class="card stack"><h2>Recipients</h2>${renderRecipients(context, session, view)}</section>
<section class="card stack"><h2>Audit trail</h2><p class="dim">Each entry holds the hash of the one before, so none can be changed unnoticed. <code>GET /v1/esigndoc/envelopes/${id}/evidence</code> has all that is needed to check it without this service.</p>${renderLog(log)}</section>`
  return renderDashboardPage(context, session, { path: PATH, title: view.title, content })
}

/** What there is to download: the sealed documents and the certificate, or what is signed, and what was given. */
function renderDocuments(id: string, { status, files, outputs }: DocumentsView): Html {
  const link = (version: string, index: number, name: string, what: string) =>
    html`<li><a href="${PATH}/${id}/download?version=${version}&amp;file=${index}">${name}</a> <span class="dim">${what}</span></li>`
  const list = (kind: string) => outputs.filter(one => one.kind === kind)
  const sealed = list('signed').map(({ name }, index) => link('signed', index, name, 'sealed'))
  const certificates = list('certificate').map(({ name }, index) => link('certificate', index, name, 'certificate'))
  const given = files.map(({ name }, index) => link('original', index, name, 'as it was given'))
  return html`<ul class="plain">${status === 'completed' && [sealed, certificates]}${given}</ul>`
}

function renderSeal(seal: unknown): Html | false {
  if (!seal) return false
  const { level, signer, timestampFailure } = seal as {
    level: string
    signer: { commonName: string }
    timestampFailure?: string
  }
  return html`<dt>Seal</dt><dd>PAdES ${level}, by ${signer.commonName}${timestampFailure !== undefined && html`<br><span class="dim">${timestampFailure}</span>`}</dd>`
}

function renderActions(context: ApiContext, session: Session, { id, status, recipients, pages }: EnvelopeView): Html {
  const csrf = renderCsrfField(context, session)
  const price = formatMoney(String(priceEnvelope({ recipients, pages })))
  const next =
    status === 'draft'
      ? html`<form method="post" action="${PATH}/${id}/send">${csrf}<input type="hidden" name="key" value="${newId()}"><button class="button" type="submit">Send for ${price}</button></form>`
      : html`<form method="post" action="${PATH}/${id}/resend">${csrf}<button class="button quiet" type="submit">Remind</button></form>`
  return html`${next}<form method="post" action="${PATH}/${id}/cancel">${csrf}<button class="button quiet" type="submit">Cancel the envelope</button></form>`
}

const HAS_LINK = new Set(['notified', 'viewed', 'bounced'])

function renderRecipients(context: ApiContext, session: Session, { id, recipients, status }: EnvelopeView): Html {
  const isOut = status === 'sent' || status === 'in_progress'
  const names = new Map(recipients.map(one => [one.id, one.name]))
  const csrf = renderCsrfField(context, session)
  const lines = recipients.map(one => {
    const url = isOut && HAS_LINK.has(one.status) && writeSigningUrl(context, one.id, one.linkNonce)
    const link =
      url !== false &&
      html`<div class="row"><a href="${url}" rel="noreferrer">The page of this recipient</a><form method="post" action="${PATH}/${id}/link">${csrf}<input type="hidden" name="recipient" value="${one.id}"><button class="button quiet small" type="submit" aria-label="New link for ${one.name}">New link</button></form></div>`
    return renderRecipient(one, link, names.get(one.reassignedTo ?? ''))
  })
  return html`<ul class="plain">${lines}</ul>`
}

function renderRecipient(recipient: RecipientView, link: Html | false, successor: string | undefined): Html {
  const { name, email, role, order, status, signedAt, viewedAt, declineReason, deliveryError } = recipient
  const when = signedAt ?? viewedAt
  return html`<li><strong>${name}</strong> <span class="dim">${role}${order > 1 && `, turn ${order}`}${email !== null && `, ${email}`}</span>: ${status}${successor !== undefined && ` to ${successor}`}${when !== null && html`, ${renderTime(when)}`}${declineReason !== null && html`<blockquote>${declineReason}</blockquote>`}${deliveryError !== null && html`<br><span class="dim">${deliveryError}</span>`}${link}</li>`
}

function renderLog(entries: readonly AuditEntry[]): Html {
  const lines = entries.map(
    ({ at, actor, action, hash }) =>
      html`<tr><td class="when">${renderTime(at)}</td><td class="long">${actor}</td><td>${action.replaceAll('_', ' ')}</td><td><code>${hash.slice(0, 12)}</code></td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">Hash</th></tr></thead><tbody>${lines}</tbody></table>`
}

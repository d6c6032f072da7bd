import { isUuid, Problem } from '#kit'
import { type AskView, cancelAsk, listAsks, readAsk, remind } from '../../../../sql/ask/asks.ts'
import { type AuditEntry, listAuditEntries } from '../../../../sql/product/audit.ts'
import type { ApiContext } from '../../../context.ts'
import type { Session } from '../../../intake/identity/session.ts'
import { readOffset, renderPager, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'
import { renderValue } from '../question.ts'
import { parseAskId } from '../schema.ts'

const PATH = '/dashboard/asks'
const PAGE_SIZE = 25
const LOG_SIZE = 200

export default [
  definePrivatePage(`GET ${PATH}`, async ({ session, query }, context) => {
    const offset = readOffset(query)
    const page = { limit: PAGE_SIZE + 1, offset }
    const found = await listAsks(context.db, session.caller.accountId, {}, page)
    const table =
      found.length > 0
        ? renderTable(found.slice(0, PAGE_SIZE))
        : html`<p class="empty">No asks yet. <a href="/docs/bridge">How agents ask people</a></p>`
    const content = html`<section class="card flush">${table}</section>
${renderPager(PATH, {}, { offset, size: PAGE_SIZE, hasMore: found.length > PAGE_SIZE })}`
    return renderDashboardPage(context, session, { path: PATH, title: 'Asks', content })
  }),

  definePrivatePage(`GET ${PATH}/{id}`, async ({ session, params, query }, context) => {
    const ask = await readAsk(context.db, session.caller.accountId, parseAskId(params.id!))
    return renderAsk(context, session, ask, NOTICES[query.done ?? ''])
  }),

  definePrivatePage(`POST ${PATH}/{id}/cancel`, async ({ session, params }, context) => {
    await cancelAsk(context.db, session.caller.accountId, parseAskId(params.id!))
    return { redirectTo: `${PATH}/${params.id}?done=cancelled` }
  }),

  definePrivatePage(`POST ${PATH}/{id}/remind`, async ({ session, params, reply }, context) => {
    const { accountId } = session.caller
    const id = parseAskId(params.id!)
    try {
      await remind(context.db, accountId, id)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'REMINDED_RECENTLY') throw error
      reply.code(error.status)
      return renderAsk(context, session, await readAsk(context.db, accountId, id), renderNotice('bad', error.message))
    }
    return { redirectTo: `${PATH}/${params.id}?done=reminded` }
  }),
]

const NOTICES: Record<string, Html> = {
  cancelled: renderNotice('good', 'The ask is cancelled. Its links take no reply any more.'),
  reminded: renderNotice('good', 'Those who have not replied are reminded.'),
}

function renderTable(asks: readonly AskView[]): Html {
  const lines = asks.map(
    ask =>
      html`<tr><td class="when">${renderTime(ask.createdAt)}</td><td class="what"><a href="${PATH}/${ask.id}">${shorten(ask.question)}</a></td><td>${ask.kind}</td><td>${ask.replies.length} of ${ask.needed}</td><td class="state">${describeStatus(ask)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">Question</th><th scope="col">Kind</th><th scope="col">Replies</th><th scope="col">State</th></tr></thead><tbody>${lines}</tbody></table>`
}

function shorten(question: string): string {
  const characters = [...question.trim().split('\n', 1)[0]!]
  return characters.length > 90 ? `${characters.slice(0, 90).join('')}…` : characters.join('')
}

function describeStatus({ status, outcome }: AskView): string {
  const text = status.replace('_', ' ')
  return status === 'replied' || status === 'defaulted' ? `${text}: ${outcome}` : text
}

async function renderAsk(context: ApiContext, session: Session, ask: AskView, notice: Html | undefined) {
  const id = ask.id.slice('ask_'.length).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  if (!isUuid(id)) throw new Problem('NOT_FOUND')
  const subject = { accountId: session.caller.accountId, kind: 'ask', id }
  const log = await listAuditEntries(context.db, subject, 0, LOG_SIZE)
  const content = html`<p><a href="${PATH}">← All asks</a></p>${notice}
<section class="card stack"><div class="question">${renderValue(ask.question)}</div>
<dl class="facts"><dt>State</dt><dd>${describeStatus(ask)}</dd><dt>Replies</dt><dd>${ask.replies.length}, ${ask.needed} needed of ${ask.voters}</dd><dt>Asked</dt><dd>${renderTime(ask.createdAt)}</dd><dt>Ends</dt><dd>${renderTime(ask.endedAt ?? ask.expiresAt)}</dd><dt>Id</dt><dd><code>${ask.id}</code></dd></dl>
${ask.endedAt === null && renderActions(context, session, ask)}</section>
${ask.replies.length > 0 && html`<section class="card stack"><h2>Replies</h2>${ask.replies.map(reply => renderReply(reply, ask.id))}</section>`}
<section class="card stack"><h2>Who is asked</h2>${renderRecipients(ask)}</section>
<section class="card stack"><h2>Log</h2><p class="dim">Each entry holds the hash of the one before, so none can be changed unnoticed. <code>GET /v1/audit/ask/${id}</code> has all of it.</p>${renderLog(log)}</section>`
  return renderDashboardPage(context, session, { path: PATH, title: 'Ask', content })
}

function renderActions(context: ApiContext, session: Session, { id }: AskView): Html {
  const csrf = renderCsrfField(context, session)
  return html`<div class="decide"><form method="post" action="${PATH}/${id}/remind">${csrf}<button class="button quiet" type="submit">Remind</button></form><form method="post" action="${PATH}/${id}/cancel">${csrf}<button class="button quiet" type="submit">Cancel the ask</button></form></div>`
}

function renderReply(
  { recipient, decision, value, comment, editedProposal, repliedAt }: AskView['replies'][number],
  askId: string,
): Html {
  return html`<div class="part"><h3>${recipient}, ${renderTime(repliedAt)}</h3>${decision !== null && html`<p><strong>${decision}</strong></p>`}
${value !== null && renderReplied(value, askId)}${comment !== null && html`<blockquote>${comment}</blockquote>`}${editedProposal !== null && html`<p>Edited proposal:</p>${renderValue(editedProposal)}`}</div>`
}

function renderReplied(value: unknown, askId: string): Html {
  const { sha256, id, name } = (typeof value === 'object' ? value : {}) as Record<string, string | undefined>
  if (sha256 !== undefined && id !== undefined)
    return html`<p>The file ${name}: <code>GET /v1/bridge/asks/${askId}/files/${id}</code></p>`
  return typeof value === 'string' || typeof value === 'number' ? html`<p>${value}</p>` : renderValue(value)
}

function renderRecipients({ recipients }: AskView): Html {
  const lines = recipients.map(
    ({ name, kind, address, step, delivery, deliveryError, hasReplied }) =>
      html`<li>${name ?? address ?? 'Whoever has the link'} <span class="dim">${kind}${step > 0 && `, step ${step}`}${delivery !== 'none' && `, ${delivery}`}${deliveryError !== null && `: ${deliveryError}`}${hasReplied && ', has replied'}</span></li>`,
  )
  return html`<ul class="plain">${lines}</ul>`
}

function renderLog(entries: readonly AuditEntry[]): Html {
  const lines = entries.map(
    ({ at, actor, action, hash }) =>
      html`<tr><td class="when">${renderTime(at)}</td><td class="long">${actor}</td><td>${action.replace('_', ' ')}</td><td><code>${hash.slice(0, 12)}</code></td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">Hash</th></tr></thead><tbody>${lines}</tbody></table>`
}

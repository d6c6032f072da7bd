import { Problem } from '#kit'
import {
  cancelVerification,
  listVerifications,
  redactVerification,
  type VerificationView,
} from '../../../../sql/idverify/verifications.ts'
import type { ApiContext } from '../../../context.ts'
import type { Session } from '../../../intake/identity/session.ts'
import { readOffset, renderPager, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'
import { parseVerificationId } from '../schema.ts'

const PATH = '/dashboard/identity'
const PAGE_SIZE = 25

export default [
  definePrivatePage(`GET ${PATH}`, ({ session, query }, context) =>
    renderList(context, session, query, NOTICES[query.done ?? '']),
  ),

  definePrivatePage(`POST ${PATH}/{id}/cancel`, async ({ session, params, query, reply }, context) => {
    try {
      await cancelVerification(context.db, session.caller.accountId, parseVerificationId(params.id!))
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'VERIFICATION_TERMINAL') throw error
      reply.code(error.status)
      return renderList(context, session, query, renderNotice('bad', error.message))
    }
    return { redirectTo: `${PATH}?done=cancelled` }
  }),

  definePrivatePage(`POST ${PATH}/{id}/erase`, async ({ session, params }, context) => {
    await redactVerification(context.db, session.caller.accountId, parseVerificationId(params.id!))
    return { redirectTo: `${PATH}?done=erased` }
  }),
]

const NOTICES: Record<string, Html> = {
  cancelled: renderNotice('good', 'The verification is cancelled. Its link takes no images any more.'),
  erased: renderNotice('good', 'The images and personal data are erased. The decision stays.'),
}

async function renderList(
  context: ApiContext,
  session: Session,
  query: Record<string, string>,
  notice: Html | undefined,
): Promise<Html> {
  const offset = readOffset(query)
  const found = await listVerifications(context.db, session.caller.accountId, {}, { limit: PAGE_SIZE + 1, offset })
  const table =
    found.length > 0
      ? renderTable(found.slice(0, PAGE_SIZE), renderCsrfField(context, session))
      : html`<p class="empty">No verifications yet. <a href="/docs/idverify">How to begin one</a></p>`
  const content = html`${notice}<section class="card flush">${table}</section>
${renderPager(PATH, {}, { offset, size: PAGE_SIZE, hasMore: found.length > PAGE_SIZE })}`
  return renderDashboardPage(context, session, { path: PATH, title: 'Identity', content })
}

const ENDED = new Set(['completed', 'failed', 'expired', 'cancelled'])

function renderActions({ id, status, referenceId }: VerificationView, csrf: Html): Html {
  const name = referenceId ?? id
  const button = (action: string, label: string) =>
    html`<form method="post" action="${PATH}/${id}/${action}">${csrf}<button class="button quiet small" type="submit" aria-label="${label}: ${name}">${label}</button></form>`
  return html`${!ENDED.has(status) && button('cancel', 'Cancel')}<details><summary class="danger" aria-label="Erase: ${name}">Erase</summary>${button('erase', 'Erase images and data')}</details>`
}

function renderTable(found: readonly VerificationView[], csrf: Html): Html {
  const lines = found.map(
    ({ id, type, status, decision, referenceId, reasonCodes, createdAt }, index) =>
      html`<tr><td class="when">${renderTime(createdAt)}</td><td class="what">${referenceId ?? id}</td><td>${type}</td><td>${reasonCodes.join(', ')}</td><td class="state">${(decision ?? status).replace('_', ' ')}</td><td>${renderActions(found[index]!, csrf)}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">When</th><th scope="col">Reference</th><th scope="col">Type</th><th scope="col">Reasons</th><th scope="col">State</th><th scope="col">Do</th></tr></thead><tbody>${lines}</tbody></table>`
}

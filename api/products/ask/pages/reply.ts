import { newId, Problem } from '#kit'
import { type ReplyTerms, readForReply, storeReply } from '../../../../sql/ask/replies.ts'
import { checkReply, type Form, type GivenReply, readTyped } from '../../../../tasks/products/ask/index.ts'
import type { ApiContext } from '../../../context.ts'
import { requireStorable } from '../../../intake/body/storable.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { IGNORE_ENTER } from '../../../pages/parts/ignore-enter.ts'
import { renderNotice } from '../../../pages/parts/layout.ts'
import { defineTokenPage, renderTokenPage } from '../../../pages/parts/token-page.ts'
import { withBody } from '../../lease/index.ts'
import { renderFields, type Typed } from '../fields.ts'
import { renderFacts } from '../question.ts'
import { isOpen, readToken } from '../replying.ts'

/** What a form has besides its file. */
const FORM_BYTES = 262_144

export default [
  defineTokenPage('GET /r/{token}', async ({ params, query, request }, context) => {
    const terms = await readForReply(context.db, readToken(context, request, params.token!))
    const notice = query.done === 'sent' && renderNotice('good', 'Your reply has arrived. Thank you.')
    return render(context, params.token!, terms, { notice, typed: () => undefined })
  }),

  defineTokenPage(
    'POST /r/{token}',
    async ({ params, request, reply, session }, context) => {
      const token = readToken(context, request, params.token!)
      const terms = await readForReply(context.db, token)
      let typed: Typed = () => undefined
      try {
        const maxBytes = context.settings.get('ask.max_file_bytes')
        await withBody(context, request, maxBytes + FORM_BYTES, async body => {
          const form = await parseForm(body, request.headers['content-type'] ?? '')
          typed = name => readText(form, name)
          const { file, ...given } = readGiven(terms, form, typed)
          if (file && file.size > maxBytes) throw new Problem('BODY_TOO_LARGE', { maxBytes })
          const name = terms.isShared ? typed('name')?.slice(0, 100).toWellFormed() : undefined
          requireStorable('reply', { ...given, name }, FORM_BYTES)
          const checked = checkReply(terms, { ...given, ...(file && { file }) })
          const stored = file && { ...(await readFile(file)), id: newId() }
          const sent = { ...checked, file: stored, name, method: 'page' as const }
          await storeReply(context.db, token, sent, session?.caller.accountId)
        })
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error
        reply.code(error.status)
        const notice = renderNotice('bad', describe(error))
        return render(context, params.token!, await readForReply(context.db, token), { notice, typed })
      }
      return { redirectTo: `/r/${encodeURIComponent(params.token!)}?done=sent` }
    },
    { takesFiles: true },
  ),
]

async function parseForm(body: Buffer, type: string): Promise<FormData> {
  return new Response(new Uint8Array(body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => Promise.reject(new Problem('INVALID_MULTIPART')))
}

function readText(form: FormData, name: string): string | undefined {
  const value = form.get(name)
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : undefined
}

/** What was typed, as the fields of a reply. */
function readGiven(terms: ReplyTerms, form: FormData, typed: Typed): Omit<GivenReply, 'file'> & { file?: File } {
  const comment = typed('comment')?.trim() || undefined
  const shared = { comment: comment?.slice(0, 4_000).toWellFormed() }
  switch (terms.kind) {
    case 'approval':
      return { ...shared, ...readDecision(terms, typed) }
    case 'choice':
      return { ...shared, choice: typed('choice') }
    case 'text':
      return { ...shared, text: typed('text') }
    case 'number':
      return { ...shared, number: typed('number') ? Number(typed('number')) : undefined }
    case 'form':
      return { ...shared, form: readTyped(terms.schema as Form, name => typed(`form.${name}`)) }
    case 'file': {
      const file = form.get('file')
      return { ...shared, ...(file instanceof File && file.size > 0 && { file }) }
    }
  }
}

/** A proposal that was left as it is was not edited. */
function readDecision(terms: ReplyTerms, typed: Typed): Omit<GivenReply, 'file'> {
  const decision = typed('decision')
  if (decision !== 'approved' && decision !== 'denied') return {}
  const text = typed('proposal')
  if (!terms.allowEdit || decision === 'denied' || text === undefined) return { decision }
  const editedProposal = parseProposal(text)
  const isSame = JSON.stringify(editedProposal) === JSON.stringify(terms.proposal)
  return { decision, ...(!isSame && { editedProposal }) }
}

function parseProposal(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem('REPLY_INVALID', { path: '/editedProposal', reason: 'it is not JSON' })
  }
}

async function readFile(file: File) {
  const base64 = Buffer.from(await file.arrayBuffer()).toString('base64')
  const contentType = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(file.type) ? file.type : 'application/octet-stream'
  return {
    name:
      file.name
        .replaceAll(/[\p{Cc}/\\]/gu, '_')
        .slice(0, 200)
        .toWellFormed() || 'file',
    contentType,
    base64,
  }
}

function describe({ message, hints }: Problem): string {
  const { path, reason } = hints as { path?: string; reason?: string }
  if (reason === undefined) return message
  const field = path?.split('/').at(-1)
  return field ? `${field}: ${reason}.` : `${reason}.`
}

const ENDS: Record<string, string> = {
  replied: 'This question has been answered.',
  expired: 'The time for this question is over; it takes no reply any more.',
  defaulted: 'The time for this question is over; it takes no reply any more.',
  cancelled: 'Whoever asked has withdrawn this question.',
  undeliverable: 'This question has ended.',
}

function render(
  context: ApiContext,
  token: string,
  terms: ReplyTerms,
  { notice, typed }: { notice: Html | false; typed: Typed },
): Html {
  const hasEnded = !isOpen(terms)
  const isDone = terms.hasReplied && !terms.isShared
  const end = hasEnded && !isDone && html`<p role="status">${ENDS[terms.status]}</p>`
  const done = isDone && !notice && html`<p role="status">Your reply has arrived. Nothing more is needed.</p>`
  const content = html`${notice}${done}${end}
${renderFacts(terms, token)}
${!hasEnded && !isDone && renderForm(terms, typed)}`
  return renderTokenPage(
    context,
    terms.urgency === 'high' ? 'An urgent question for you' : 'A question for you',
    content,
  )
}

function renderForm(terms: ReplyTerms, typed: Typed): Html {
  const wallet =
    terms.wallet !== null &&
    html`<p class="note plain">Only the owner of the wallet <code>${terms.wallet}</code> can reply. <a href="/sign-in">Sign in</a> with it, then open this link again.</p>`
  const name =
    terms.isShared &&
    html`<div class="field"><label for="name">Your name, if you like</label><input id="name" name="name" maxlength="100" autocomplete="name" value="${typed('name') ?? ''}"></div>`
  const comment =
    terms.allowComment &&
    html`<div class="field"><label for="comment">Comment, if you like</label><textarea id="comment" name="comment" rows="3" maxlength="4000">${typed('comment') ?? ''}</textarea></div>`
  const buttons =
    terms.kind === 'approval'
      ? html`<div class="decide">${IGNORE_ENTER}<button class="button" type="submit" name="decision" value="approved">Approve</button><button class="button quiet" type="submit" name="decision" value="denied">Deny</button></div>`
      : html`<button class="button" type="submit">Send</button>`
  return html`${wallet}<form method="post" enctype="multipart/form-data">${renderFields(terms, typed)}${comment}${name}${buttons}</form>`
}

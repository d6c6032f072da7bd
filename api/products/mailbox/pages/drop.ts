import { Problem } from '#kit'
import { dropMessage, readDropTerms } from '../../../../sql/mailbox/messages.ts'
import type { ApiContext } from '../../../context.ts'
import { requireTokenRate } from '../../../intake/identity/rate-limit.ts'
import { formatBytes } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderNotice } from '../../../pages/parts/layout.ts'
import { defineTokenPage, renderTokenPage } from '../../../pages/parts/token-page.ts'
import { type DropTerms, requireDropRate } from '../dropping.ts'
import { requireContentType, withMessage } from '../message-reading.ts'
import { DROP } from '../secrets.ts'

/** What a form adds to the message that it carries. */
const FORM_BYTES = 16_384
const TEXT_TYPE = 'text/plain; charset=utf-8'

export default [
  defineTokenPage('GET /mailbox/{drop_token}', async ({ params, query, request }, context) => {
    const token = DROP.hash(context.config.secret, params.drop_token!)
    const perMinute = context.settings.get('rate.drops_per_minute')
    requireTokenRate(context, { kind: 'drop-page', ip: request.ip, perAddress: perMinute, token, perToken: perMinute })
    const terms = await readDropTerms(context.db, token)
    const notice = query.done === 'sent' && renderNotice('good', 'Your message has arrived.')
    return renderForm(context, terms, notice || undefined)
  }),

  defineTokenPage(
    'POST /mailbox/{drop_token}',
    async ({ params, request, reply }, context) => {
      const tokenHash = DROP.hash(context.config.secret, params.drop_token!)
      const terms = await readDropTerms(context.db, tokenHash)
      requireDropRate(context, request, terms)
      const maxBytes = terms.max_message_bytes + FORM_BYTES
      try {
        await withMessage(context, request, { id: terms.id, maxBytes }, async body => {
          const message = await readSentForm(body, request.headers['content-type'] ?? '')
          requireSize(message.body, terms)
          const contentType = requireContentType(message.contentType, terms.allowed_content_types)
          return dropMessage(context.db, tokenHash, { ...message, contentType, idempotencyKey: undefined })
        })
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error
        reply.code(error.status)
        return renderForm(context, terms, renderNotice('bad', error.message))
      }
      return { redirectTo: `/mailbox/${encodeURIComponent(params.drop_token!)}?done=sent` }
    },
    { takesFiles: true },
  ),
]

interface SentForm {
  body: Buffer
  contentType: string
  filename: string | undefined
}

/** The file of the form or, without one, its text. */
async function readSentForm(body: Buffer, type: string): Promise<SentForm> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => Promise.reject(new Problem('INVALID_MULTIPART')))
  const [file, text] = [form.get('file'), form.get('text')]
  if (file instanceof File && file.size > 0) {
    const bytes = Buffer.from(await file.arrayBuffer())
    return { body: bytes, contentType: file.type || 'application/octet-stream', filename: file.name || undefined }
  }
  if (typeof text !== 'string' || text.trim() === '') throw new Problem('EMPTY_BODY')
  return { body: Buffer.from(text.replaceAll('\r\n', '\n')), contentType: TEXT_TYPE, filename: undefined }
}

function renderForm(context: ApiContext, terms: DropTerms, notice: Html | undefined): Html {
  const { max_message_bytes: maxBytes, allowed_content_types: types } = terms
  const accepted = types ? html` Accepted: ${types.join(', ')}.` : ''
  const content = html`${notice}
<p>Write a message or choose a file. It goes to the owner of this mailbox.</p>
<form method="post" enctype="multipart/form-data">
<div class="field"><label for="text">Message</label><textarea id="text" name="text" rows="6"></textarea></div>
<div class="field"><label for="file">Or a file</label><input id="file" name="file" type="file" aria-describedby="limits"></div>
<p class="dim" id="limits">At most ${formatBytes(maxBytes)}.${accepted}</p>
<button class="button" type="submit">Send</button>
</form>`
  return renderTokenPage(context, 'Leave a message', content)
}

function requireSize(body: Buffer, { max_message_bytes: ceiling }: DropTerms): void {
  if (body.length > ceiling) throw new Problem('BODY_TOO_LARGE', { max_message_bytes: ceiling })
}

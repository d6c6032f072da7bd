import type { HandoffPreview } from '../../../../sql/handoff/claims.ts'
import { previewHandoff } from '../../../../sql/handoff/claims.ts'
import type { ApiContext } from '../../../context.ts'
import { type Draft, keepTyped, NO_DRAFT, renderField } from '../../../pages/parts/field.ts'
import { formatBytes, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { defineTokenPage, renderTokenPage } from '../../../pages/parts/token-page.ts'
import { describeContent } from '../../storage/index.ts'
import { claim } from '../claiming.ts'
import { hashHandoffToken, requireClaimRate } from '../tokens.ts'

export default [
  defineTokenPage('GET /handoff/{token}', async ({ params, request, session }, context) => {
    requireClaimRate(context, request, params.token!)
    return renderOffer(context, await readOffer(context, params.token!), session !== undefined, NO_DRAFT)
  }),

  defineTokenPage('POST /handoff/{token}', async ({ params, form, request, reply, session }, context) => {
    requireClaimRate(context, request, params.token!)
    const token = params.token!
    const pin = form.get('pin') || undefined
    const claimant = { token, accountId: session?.caller.accountId, pin, receipt: undefined }
    const found = await claim(context, reply, claimant)
    if ('fault' in found) {
      reply.code(403)
      const left = found.triesLeft === 1 ? 'one more try' : `${found.triesLeft} more tries`
      const fault = found.fault === 'PIN_REQUIRED' ? 'Enter the PIN that you were told.' : `It is another PIN: ${left}.`
      return renderOffer(
        context,
        await readOffer(context, token),
        session !== undefined,
        keepTyped(form, { pin: fault }),
      )
    }
    const headers = { ...describeContent(found.view), 'content-length': String(found.view.size_bytes) }
    return { headers, body: await context.store.read(found.key) }
  }),
]

function readOffer(context: ApiContext, token: string): Promise<HandoffPreview> {
  return previewHandoff(context.db, hashHandoffToken(context, token))
}

function renderOffer(context: ApiContext, offer: HandoffPreview, isSignedIn: boolean, draft: Draft): Html {
  const name = offer.filename ?? 'A file'
  const facts = html`<p><strong>${name}</strong><br><span class="dim">${offer.content_type}, ${formatBytes(offer.size_bytes)}</span></p>
${offer.note && html`<blockquote>${offer.note}</blockquote>`}
<p class="dim">The link works until ${renderTime(offer.expires_at)}, and it may work only once: the download counts as soon as it is complete.</p>`
  const form = offer.needs_sign_in && !isSignedIn ? SIGN_IN : renderForm(offer, draft)
  return renderTokenPage(context, 'A file for you', html`${facts}${form}`)
}

const SIGN_IN = html`<p>Its sender has named who may have it. <a href="/sign-in">Sign in</a>, then open the link again.</p>`

function renderForm({ needs_pin: needsPin }: HandoffPreview, draft: Draft): Html {
  const attributes = html`type="text" autocomplete="off" maxlength="64" required`
  const pin = needsPin && renderField({ id: 'pin', name: 'pin', label: 'PIN', attributes }, draft)
  return html`<form method="post">${pin}<button class="button" type="submit">Download</button></form>`
}

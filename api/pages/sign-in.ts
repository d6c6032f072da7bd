import { newId, Problem } from '#kit'
import { createSignInLink, hashSignInToken, LINK_MINUTES, VIEW_TOKENS } from '../../ops/providers/sign-in/link.ts'
import { openWallet } from '../../sql/payment.ts'
import { createLink, findViewLink, isLinkValid, useLink } from '../../sql/session.ts'
import type { ApiContext } from '../context.ts'
import { beginSession, beginView, endSession } from '../intake/identity/session.ts'
import { countAttempt, countMail } from '../intake/identity/sign-in-attempts.ts'
import { opensTestAccounts, verifyWallet } from '../routes/auth/schema.ts'
import { readSignedForm } from './account.ts'
import { keepTyped, NO_DRAFT, renderField } from './parts/field.ts'
import { type Html, html } from './parts/html.ts'
import { renderNotice, renderPublicPage, siteNameOf } from './parts/layout.ts'
import { definePrivatePage, definePublicPage } from './parts/page.ts'
import { renderSigningForm } from './parts/wallet-form.ts'

/** Checks the form only; the link proves that the address works. */
const EMAIL_PATTERN = /^[^\s@<>,;:"\\]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$/

export const signInPages = [
  definePublicPage('GET /sign-in', ({ session, query }, context) =>
    session ? { redirectTo: '/dashboard' } : renderSignInPage(context, NO_DRAFT, query.ended === 'form' && FORM_ENDED),
  ),

  definePublicPage('POST /sign-in', async ({ form, request, reply }, context) => {
    countAttempt(context, request)
    const email = (form.get('email') ?? '').trim().toLowerCase()
    if (!EMAIL_PATTERN.test(email)) {
      reply.code(400)
      return renderSignInPage(context, keepTyped(form, { email: 'Enter an email address, such as ada@example.com.' }))
    }
    countMail(context, email)
    await sendLink(context, email)
    return renderPublicPage(context, 'Check your email', false, renderLinkSent(context, email))
  }),

  definePublicPage('GET /sign-in/link/{token}', async ({ params }, context) => {
    if (!(await isLinkValid(context.db, hashSignInToken(context.config, params.token!)))) throw createStaleLinkProblem()
    return renderPublicPage(
      context,
      'Sign in',
      false,
      html`<section class="card narrow"><h1>Almost there</h1><p>Click the button to sign in. We ask for this click because some email programs open links on their own.</p>
<form method="post"><button class="button wide" type="submit" autofocus>Sign in to ${siteNameOf(context)}</button></form></section>`,
    )
  }),

  definePublicPage('POST /sign-in/link/{token}', async ({ params, request, reply }, context) => {
    countAttempt(context, request)
    const hash = hashSignInToken(context.config, params.token!)
    const signedIn = await useLink(context.db, hash, opensTestAccounts(context))
    if (!signedIn) throw createStaleLinkProblem()
    return { redirectTo: await beginSession(context, request, reply, signedIn) }
  }),

  definePublicPage('GET /sign-in/view/{token}', async ({ params }, context) => {
    const found = await findViewLink(context.db, VIEW_TOKENS.hash(context.config.secret, params.token!))
    if (!found) throw createStaleViewProblem()
    return renderPublicPage(
      context,
      'See the pages of an account',
      false,
      html`<section class="card narrow"><h1>See what an account sees</h1><p>You will see the pages of the account <code>${found.accountId}</code> as ${found.operator}, for an hour. Nothing can be changed. Your own sign-in in this browser ends.</p>
<form method="post"><button class="button wide" type="submit" autofocus>Go on</button></form></section>`,
    )
  }),

  definePublicPage('POST /sign-in/view/{token}', async ({ params, request, reply }, context) => {
    countAttempt(context, request)
    const next = await beginView(context, VIEW_TOKENS.hash(context.config.secret, params.token!), reply)
    if (next === undefined) throw createStaleViewProblem()
    return { redirectTo: next }
  }),

  definePublicPage('POST /sign-in/wallet', async ({ form, request, reply }, context) => {
    countAttempt(context, request)
    const wallet = await verifyWallet(context, readSignedForm(form))
    const accountId = await openWallet(context.db, wallet, newId(), opensTestAccounts(context))
    const openedBy = `wallet ${wallet}`
    return { redirectTo: await beginSession(context, request, reply, { accountId, openedBy }) }
  }),

  definePrivatePage('POST /sign-out', async ({ session, reply }, context) => {
    await endSession(context, session.token, reply)
    return { redirectTo: '/' }
  }),
]

async function sendLink(context: ApiContext, email: string): Promise<void> {
  const { url, hash } = createSignInLink(context.config)
  await createLink(context.db, { hash, email, minutes: LINK_MINUTES })
  await context.mail.send({
    to: email,
    subject: 'Your sign-in link for coinop',
    text: `Open this link to sign in to coinop. It works once, for ${LINK_MINUTES} minutes:\n\n${url}\n\nIf you did not request it, you can ignore this email.\n`,
    link: url,
  })
}

function createStaleViewProblem(): Problem {
  return new Problem('SIGN_IN_FAILED', {
    reason: 'This link was already used or is older than five minutes. Ask for another in the console.',
  })
}

function createStaleLinkProblem(): Problem {
  return new Problem('SIGN_IN_FAILED', {
    reason: 'This link was already used or is older than 15 minutes. Request a new one.',
  })
}

const EMAIL_ATTRIBUTES = html`type="email" autocomplete="email" inputmode="email" required maxlength="254" placeholder="you@example.com" autofocus`
const WALLET_BUTTON = html`<button class="button quiet wide" type="submit">Continue with a wallet</button>`

const FORM_ENDED = renderNotice(
  'bad',
  'Your session has ended, so what you sent was not done. Sign in, and you come back to the page to send it again.',
)

function renderSignInPage(context: ApiContext, draft = NO_DRAFT, notice: Html | false = false): Html {
  const providers = [...context.providers.values()].map(
    ({ name, title }) => html`<a class="button quiet wide" href="/sign-in/${name}">Continue with ${title}</a>`,
  )
  return renderPublicPage(
    context,
    'Sign in',
    false,
    html`<section class="card narrow">
<h1>Sign in</h1>${notice}
<p class="dim">New here? The same form creates your account. There is no password.</p>
${providers.length > 0 && html`<div class="stack">${providers}</div><p class="or"><span>or</span></p>`}
<form method="post" action="/sign-in" class="stack">
${renderField({ id: 'email', name: 'email', label: 'Email address', attributes: EMAIL_ATTRIBUTES }, draft)}
<button class="button wide" type="submit">Send me a link</button>
</form>
${renderSigningForm('sign-in', '/sign-in/wallet', html``, WALLET_BUTTON)}
${context.payments && html`<p class="dim small">Agents need no account: they pay per call with a wallet. <a href="/docs">See how</a>.</p>`}
</section>`,
  )
}

function renderLinkSent({ mail }: ApiContext, email: string): Html {
  const message = mail.isSending
    ? html`<p>We have sent a link to <strong>${email}</strong>. It works once, for ${LINK_MINUTES} minutes.</p>`
    : html`<p>A link for <strong>${email}</strong> is ready. It works once, for ${LINK_MINUTES} minutes.</p>
<p class="note plain">This installation does not send email. The link is on a line of its own in the server log, and in a file in the <code>outbox</code> folder.</p>`
  return html`<section class="card narrow"><h1>Check your email</h1>${message}<p><a href="/sign-in">Use another address</a></p></section>`
}

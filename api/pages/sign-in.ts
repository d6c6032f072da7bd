import { newId, Problem } from '#kit'
import { LINK_MINUTES, linkHash, newLink } from '../../ops/sign-in/link.ts'
import { openWallet } from '../../sql/payment.ts'
import { isLink, offerLink, takeLink } from '../../sql/session.ts'
import type { Floor } from '../floor.ts'
import { countMail, countTry } from '../intake/attempts.ts'
import { beginSession, endSession } from '../intake/session.ts'
import { isForTests, provenWallet } from '../routes/auth/shape.ts'
import { signedIn } from './account.ts'
import { type Html, html } from './html.ts'
import { note, openPage } from './layout.ts'
import { privatePage, publicPage } from './page.ts'
import { signingForm } from './wallet-form.ts'

/** Good enough to send to; whether anybody reads it, the link finds out. */
const ADDRESS = /^[^\s@<>,;:"\\]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$/

export const signInPages = [
  publicPage('GET /sign-in', ({ session }, floor) => (session ? { to: '/dashboard' } : signIn(floor))),

  publicPage('POST /sign-in', async ({ form, request, reply }, floor) => {
    countTry(floor, request)
    const email = (form.get('email') ?? '').trim().toLowerCase()
    if (!ADDRESS.test(email)) {
      reply.code(400)
      return signIn(floor, note('bad', 'That does not look like a mail address.'))
    }
    countMail(floor, email)
    await sendLink(floor, email)
    return openPage('Look into your mail', false, sent(floor, email))
  }),

  publicPage('GET /sign-in/link/{word}', async ({ params }, floor) => {
    if (!(await isLink(floor.db, linkHash(floor.config, params.word!)))) throw stale()
    return openPage(
      'Sign in',
      false,
      html`<section class="card narrow"><h1>Welcome back</h1><p>One more click, so that no mail program signs in before you.</p>
<form method="post"><button class="button wide" type="submit" autofocus>Sign in to coinop</button></form></section>`,
    )
  }),

  publicPage('POST /sign-in/link/{word}', async ({ params, request, reply }, floor) => {
    countTry(floor, request)
    const account = await takeLink(floor.db, linkHash(floor.config, params.word!), isForTests(floor))
    if (!account) throw stale()
    await beginSession(floor, request, reply, account)
    return { to: '/dashboard' }
  }),

  publicPage('POST /sign-in/wallet', async ({ form, request, reply }, floor) => {
    countTry(floor, request)
    const wallet = await provenWallet(floor, signedIn(form))
    const account = await openWallet(floor.db, wallet, newId(), isForTests(floor))
    await beginSession(floor, request, reply, account)
    return { to: '/dashboard' }
  }),

  privatePage('POST /sign-out', async ({ session, reply }, floor) => {
    await endSession(floor, session.word, reply)
    return { to: '/' }
  }),
]

async function sendLink(floor: Floor, email: string): Promise<void> {
  const { url, hash } = newLink(floor.config)
  await offerLink(floor.db, { hash, email, minutes: LINK_MINUTES })
  await floor.mail.send({
    to: email,
    subject: 'Your link to coinop',
    text: `Open this link to sign in to coinop. It works once, for ${LINK_MINUTES} minutes:\n\n${url}\n\nIf you did not ask for it, there is nothing you need to do.\n`,
  })
}

function stale(): Problem {
  return new Problem('SIGN_IN_FAILED', { reason: 'This link was used before or is older than 15 minutes.' })
}

const WALLET_BUTTON = html`<button class="button quiet wide" type="submit">Continue with a wallet</button>`

function signIn(floor: Floor, said?: Html): Html {
  const providers = [...floor.providers.values()].map(
    ({ name, title }) => html`<a class="button quiet wide" href="/sign-in/${name}">Continue with ${title}</a>`,
  )
  return openPage(
    'Sign in',
    false,
    html`<section class="card narrow">
<h1>Sign in</h1>
<p class="dim">New here? The same form opens your account. No password, ever.</p>
${said}${providers.length > 0 && html`<div class="stack">${providers}</div><p class="or"><span>or</span></p>`}
<form method="post" action="/sign-in" class="stack">
<label for="email">Mail address</label>
<input id="email" name="email" type="email" autocomplete="email" inputmode="email" required maxlength="254" placeholder="you@example.com" autofocus>
<button class="button wide" type="submit">Send me a link</button>
</form>
${signingForm('sign-in', '/sign-in/wallet', html``, WALLET_BUTTON)}
<p class="dim small">Agents need no account: they pay by call with a wallet. <a href="/docs">See how</a>.</p>
</section>`,
  )
}

function sent({ mail }: Floor, email: string): Html {
  const where = mail.isSending
    ? html`<p>We have sent a link to <strong>${email}</strong>. It works once, for ${LINK_MINUTES} minutes.</p>`
    : html`<p>A link for <strong>${email}</strong> is ready. It works once, for ${LINK_MINUTES} minutes.</p>
<p class="note plain">This installation sends no mail: the link stands in the server's log, and as a file in its folder <code>outbox</code>.</p>`
  return html`<section class="card narrow"><h1>Look into your mail</h1>${where}<p><a href="/sign-in">Use another address</a></p></section>`
}

import { Problem } from '#kit'
import { toChecksumAddress } from '../../ops/providers/sign-in/wallet-message.ts'
import { listSignIns, type SignIn } from '../../sql/session.ts'
import { linkWallet } from '../../sql/wallet.ts'
import type { ApiContext } from '../context.ts'
import type { Session } from '../intake/identity/session.ts'
import { countAttempt } from '../intake/identity/sign-in-attempts.ts'
import { unlink } from '../intake/identity/unlink.ts'
import { verifyWallet } from '../routes/auth/schema.ts'
import { renderTime } from './parts/format.ts'
import { type Html, html } from './parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from './parts/layout.ts'
import { definePrivatePage, type PageRequest } from './parts/page.ts'
import { renderSigningForm } from './parts/wallet-form.ts'

const NOTICES: Record<string, Html> = {
  joined: renderNotice('good', 'The wallet is linked. You can sign in to this account with it.'),
  unlinked: renderNotice('good', 'It is unlinked, and the browsers that it was signed in with are signed out.'),
}
const REFUSAL_TEXTS: Record<string, string> = {
  SIGN_IN_FAILED: 'The signature does not match the message, or the message is older than five minutes. Try again.',
  WALLET_TAKEN: 'This wallet belongs to another account that has its own keys, sign-ins, wallets or debt.',
  ACCOUNT_AT_WORK: 'A call or a payment of this wallet is still in progress. Try again in a minute.',
  NOT_FOUND: 'It is not linked to this account any more.',
  SIGN_IN_TOO_NEW:
    'What else signs in to this account was linked less than three days ago. Unlink this one after that.',
  LAST_SIGN_IN:
    'This is the last way to sign in to this account. Link another wallet or sign-in first, then unlink this one.',
}

export const accountPages = [
  definePrivatePage('GET /dashboard/account', ({ session, query }, context) =>
    renderAccountPage(context, session, NOTICES[query.done ?? '']),
  ),

  definePrivatePage('POST /dashboard/account/wallets', (page, context) => {
    countAttempt(context, page.request)
    return change(page, context, 'joined', () => linkSignedWallet(page, context))
  }),

  definePrivatePage('POST /dashboard/account/unlink', (page, context) => {
    const { session, form } = page
    return change(page, context, 'unlinked', () => unlink(context, session.caller, form.get('id') ?? '', session))
  }),
]

/** Makes a change and shows the page again, with what came of it. */
async function change(
  { session, reply }: PageRequest<Session>,
  context: ApiContext,
  done: keyof typeof NOTICES,
  make: () => Promise<void>,
): Promise<Html | { redirectTo: string }> {
  try {
    await make()
    return { redirectTo: `/dashboard/account?done=${done}` }
  } catch (error) {
    const text = error instanceof Problem ? REFUSAL_TEXTS[error.code] : undefined
    if (!text) throw error
    reply.code((error as Problem).status)
    return renderAccountPage(context, session, renderNotice('bad', text))
  }
}

async function linkSignedWallet({ session, form }: PageRequest<Session>, context: ApiContext): Promise<void> {
  const wallet = await verifyWallet(context, readSignedForm(form))
  await linkWallet(context.db, wallet, session.caller.accountId)
  context.payments?.forget()
}

/** The fields that `assets/wallet.js` fills in. */
export function readSignedForm(form: URLSearchParams): { message: string; signature: string } {
  const [message, signature] = [form.get('message') ?? '', form.get('signature') ?? '']
  const isSigned = message.length <= 4_000 && /^0x([0-9a-fA-F]{2}){1,4096}$/.test(signature)
  if (!isSigned) throw new Problem('SIGN_IN_FAILED', { reason: 'signature' })
  // Browsers send line breaks in forms as CRLF; the signed message has LF.
  return { message: message.replaceAll('\r\n', '\n'), signature }
}

async function renderAccountPage(context: ApiContext, session: Session, notice?: Html): Promise<Html> {
  const { accountId } = session.caller
  const listed = await listSignIns(context.db, accountId)
  const wallets = await Promise.all(
    listed.filter(isWallet).map(async wallet => ({ ...wallet, name: await toChecksumAddress(wallet.name) })),
  )
  const others = listed.filter(signIn => !isWallet(signIn))
  const csrf = renderCsrfField(context, session)
  const button = html`<button class="button small" type="submit">Link a wallet</button>`
  const content = html`${notice}
<section class="card stack"><h2>Sign-ins</h2>${others.length === 0 ? html`<p class="dim">No sign-ins other than your wallets.</p>` : html`<ul class="plain">${others.map(signIn => renderSignIn(signIn, csrf))}</ul>`}</section>
<section class="card stack"><h2>Wallets</h2><p class="dim">${context.payments ? 'A linked wallet pays into this account by x402, and you can sign in with it. Credit that the wallet already had moves to this account when you link it.' : 'You can sign in to this account with a linked wallet.'}</p>
${wallets.length > 0 && html`<ul class="plain">${wallets.map(wallet => renderSignIn(wallet, csrf))}</ul>`}
${renderSigningForm('link', '/dashboard/account/wallets', csrf, button)}
<noscript><p class="dim">Linking a wallet from this page needs JavaScript.</p></noscript></section>
<p class="dim">Account <code>${accountId}</code></p>`
  return renderDashboardPage(context, session, { path: '/dashboard/account', title: 'Account', content })
}

function isWallet({ kind }: SignIn): boolean {
  return kind === 'wallet'
}

const TITLES = { email: 'Email', github: 'GitHub', google: 'Google', wallet: 'Wallet' } as const

const LOSSES = {
  wallet:
    'It cannot sign in to this account any more, and all wallet tokens end. What it pays from then on goes to an account of its own; credit and payments on their way stay here.',
  other: 'It cannot sign in to this account any more.',
} as const

function renderSignIn(signIn: SignIn, csrf: Html): Html {
  const { id, kind, name, linkedAt, lastUsedAt } = signIn
  const title = isWallet(signIn) ? html`<code>${name}</code>` : html`${TITLES[kind]} <strong>${name}</strong>`
  const use = lastUsedAt === null ? 'not used since' : html`last used ${renderTime(lastUsedAt)}`
  const loss = LOSSES[kind === 'wallet' ? 'wallet' : 'other']
  return html`<li>${title} <span class="dim">linked ${renderTime(linkedAt)}, ${use}</span>
<details><summary class="danger" aria-label="Unlink ${name}">Unlink</summary><form method="post" action="/dashboard/account/unlink">${csrf}<input type="hidden" name="id" value="${id}"><p class="dim">${loss} Browsers that are signed in by it are signed out, this one too if it is. API keys and connectors work on.</p><button class="button small danger" type="submit">Unlink</button></form></details></li>`
}

import { Problem } from '#kit'
import { toChecksumAddress } from '../../ops/providers/sign-in/wallet-message.ts'
import { type Identity, listIdentities } from '../../sql/session.ts'
import { linkWallet, listWallets } from '../../sql/wallet.ts'
import type { ApiContext } from '../context.ts'
import type { Session } from '../intake/identity/session.ts'
import { countAttempt } from '../intake/identity/sign-in-attempts.ts'
import { verifyWallet } from '../routes/auth/schema.ts'
import { renderTime } from './parts/format.ts'
import { type Html, html } from './parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from './parts/layout.ts'
import { definePrivatePage, type PageRequest } from './parts/page.ts'
import { renderSigningForm } from './parts/wallet-form.ts'

const NOTICES: Record<string, Html> = {
  joined: renderNotice('good', 'The wallet is linked. You can sign in to this account with it.'),
}
const REFUSAL_TEXTS: Record<string, string> = {
  SIGN_IN_FAILED: 'The signature does not match the message, or the message is older than five minutes. Try again.',
  WALLET_TAKEN: 'This wallet belongs to another account that has its own keys, sign-ins, wallets or debt.',
  ACCOUNT_AT_WORK: 'A call or a payment of this wallet is still in progress. Try again in a minute.',
}

export const accountPages = [
  definePrivatePage('GET /dashboard/account', ({ session, query }, context) =>
    renderAccountPage(context, session, NOTICES[query.done ?? '']),
  ),

  definePrivatePage('POST /dashboard/account/wallets', async (page, context) => {
    countAttempt(context, page.request)
    try {
      await linkSignedWallet(page, context)
      return { redirectTo: '/dashboard/account?done=joined' }
    } catch (error) {
      const text = error instanceof Problem ? REFUSAL_TEXTS[error.code] : undefined
      if (!text) throw error
      page.reply.code((error as Problem).status)
      return renderAccountPage(context, page.session, renderNotice('bad', text))
    }
  }),
]

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
  const [identities, listed] = await Promise.all([
    listIdentities(context.db, accountId),
    listWallets(context.db, accountId),
  ])
  const wallets = await Promise.all(
    listed.map(async wallet => ({ ...wallet, address: await toChecksumAddress(wallet.address) })),
  )
  const button = html`<button class="button small" type="submit">Link a wallet</button>`
  const content = html`${notice}
<section class="card stack"><h2>Sign-ins</h2>${identities.length === 0 ? html`<p class="dim">No sign-ins other than your wallets.</p>` : html`<ul class="plain">${identities.map(renderIdentity)}</ul>`}</section>
<section class="card stack"><h2>Wallets</h2><p class="dim">${context.payments ? 'A linked wallet pays into this account by x402, and you can sign in with it. Credit that the wallet already had moves to this account when you link it.' : 'You can sign in to this account with a linked wallet.'}</p>
${wallets.length > 0 && html`<ul class="plain">${wallets.map(({ address, created_at }) => html`<li><code>${address}</code> <span class="dim">since ${renderTime(created_at)}</span></li>`)}</ul>`}
${renderSigningForm('link', '/dashboard/account/wallets', renderCsrfField(context, session), button)}
<noscript><p class="dim">Linking a wallet from this page needs JavaScript.</p></noscript></section>
<p class="dim">Account <code>${accountId}</code></p>`
  return renderDashboardPage(context, session, { path: '/dashboard/account', title: 'Account', content })
}

const TITLES = { email: 'Email', github: 'GitHub', google: 'Google' } as const

function renderIdentity({ provider, email, subject }: Identity): Html {
  return html`<li>${TITLES[provider]} <strong>${email ?? subject}</strong></li>`
}

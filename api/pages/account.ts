import { Problem } from '#kit'
import { checksummed } from '../../ops/sign-in/wallet-message.ts'
import { type Identity, listIdentities } from '../../sql/session.ts'
import { linkWallet, listWallets } from '../../sql/wallet.ts'
import type { Floor } from '../floor.ts'
import { countTry } from '../intake/attempts.ts'
import type { Session } from '../intake/session.ts'
import { provenWallet } from '../routes/auth/shape.ts'
import { type Html, html } from './html.ts'
import { csrfField, dashboardPage, note } from './layout.ts'
import { privatePage, type Visit } from './page.ts'
import { signingForm } from './wallet-form.ts'
import { moment } from './words.ts'

const SAID: Record<string, Html> = {
  joined: note('good', 'The wallet has joined: it pays into this account, and signs in to it.'),
}
const REFUSED: Record<string, string> = {
  SIGN_IN_FAILED: 'The signature does not fit the text, or the text is older than five minutes. Try again.',
  WALLET_TAKEN: 'This wallet belongs to another account that has keys, sign-ins, other wallets or a debt of its own.',
  ACCOUNT_AT_WORK: 'A call or a payment of this wallet is still on its way. Try again in a minute.',
}

export const accountPages = [
  privatePage('GET /dashboard/account', ({ session, query }, floor) =>
    accountPage(floor, session, SAID[query.done ?? '']),
  ),

  privatePage('POST /dashboard/account/wallets', async (visit, floor) => {
    countTry(floor, visit.request)
    try {
      await join(visit, floor)
      return { to: '/dashboard/account?done=joined' }
    } catch (error) {
      const words = error instanceof Problem ? REFUSED[error.code] : undefined
      if (!words) throw error
      visit.reply.code((error as Problem).status)
      return accountPage(floor, visit.session, note('bad', words))
    }
  }),
]

async function join({ session, form }: Visit<Session>, floor: Floor): Promise<void> {
  const wallet = await provenWallet(floor, signedIn(form))
  await linkWallet(floor.db, wallet, session.caller.accountId)
  floor.payments?.forget()
}

/** The fields that `assets/wallet.js` fills in. */
export function signedIn(form: URLSearchParams): { message: string; signature: string } {
  const [message, signature] = [form.get('message') ?? '', form.get('signature') ?? '']
  const isSigned = message.length <= 4_000 && /^0x([0-9a-fA-F]{2}){1,4096}$/.test(signature)
  if (!isSigned) throw new Problem('SIGN_IN_FAILED', { reason: 'signature' })
  // A form sends every line's end as two letters; what was signed has one.
  return { message: message.replaceAll('\r\n', '\n'), signature }
}

async function accountPage(floor: Floor, session: Session, said?: Html): Promise<Html> {
  const { accountId } = session.caller
  const [identities, found] = await Promise.all([listIdentities(floor.db, accountId), listWallets(floor.db, accountId)])
  const wallets = await Promise.all(
    found.map(async wallet => ({ ...wallet, address: await checksummed(wallet.address) })),
  )
  const button = html`<button class="button small" type="submit">Join a wallet</button>`
  const content = html`${said}
<section class="card stack"><h2>Sign-ins</h2>${identities.length === 0 ? html`<p class="dim">None but your wallets.</p>` : html`<ul class="plain">${identities.map(identityLine)}</ul>`}</section>
<section class="card stack"><h2>Wallets</h2><p class="dim">A wallet that has joined pays into this account by x402 and signs in to it. What it had prepaid comes along, once.</p>
${wallets.length > 0 && html`<ul class="plain">${wallets.map(({ address, created_at }) => html`<li><code>${address}</code> <span class="dim">since ${moment(created_at)}</span></li>`)}</ul>`}
${signingForm('join', '/dashboard/account/wallets', csrfField(floor, session), button)}
<noscript><p class="dim">Joining a wallet from this page needs scripts.</p></noscript></section>
<p class="dim">Account <code>${accountId}</code></p>`
  return dashboardPage(floor, session, { place: '/dashboard/account', title: 'Account', content })
}

const TITLES = { email: 'Mail', github: 'GitHub', google: 'Google' } as const

function identityLine({ provider, email, subject }: Identity): Html {
  return html`<li>${TITLES[provider]} <strong>${email ?? subject}</strong></li>`
}

import { isUuid, type PaymentNetwork, Problem } from '#kit'
import { payCheckout, readCheckout } from '../../sql/checkout.ts'
import { listWallets } from '../../sql/wallet.ts'
import type { Floor } from '../floor.ts'
import type { Session } from '../intake/session.ts'
import { beginCheckout, offerOf } from '../routes/billing/shape.ts'
import { type Html, html } from './html.ts'
import { code, csrfField, dashboardPage, note } from './layout.ts'
import { privatePage } from './page.ts'
import { payingForm } from './wallet-form.ts'
import { money } from './words.ts'

const SAID: Record<string, Html> = {
  done: note('good', 'Thank you. The credit is there as soon as the payment has arrived, usually within seconds.'),
  cancelled: note('plain', 'The checkout was left; nothing was charged.'),
  wallet: note('good', 'Thank you. The payment has arrived, and the credit is on your balance.'),
  paid: note('good', 'Done: the test money is on your balance.'),
}

const NO_CHECKOUT = 'Nobody takes money here yet: the operator has not configured a checkout for accounts of this kind.'

export const billingPages = [
  privatePage('GET /dashboard/billing', async ({ session, query }, floor) =>
    topUp(floor, session, SAID[query.checkout ?? '']),
  ),

  privatePage('POST /dashboard/billing', async ({ session, form, reply }, floor) => {
    try {
      const { url } = await beginCheckout(floor, session.caller, (form.get('amount') ?? '').trim())
      return { to: url }
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'INVALID_PARAM') throw error
      reply.code(400)
      const { min, max } = error.hints
      return topUp(floor, session, note('bad', `An amount of dollars and cents, from ${min} to ${max}.`))
    }
  }),

  privatePage('GET /dashboard/checkout/{id}', async ({ session, params }, floor) => {
    const checkout = await openTest(floor, session, params.id!)
    const content = html`<section class="card narrow test"><p class="eyebrow">Test checkout</p>
<h2 class="big">${money(checkout.amountMicros)}</h2><p>This is a rehearsal: no card is asked for and no real money moves. What you get is test money.</p>
<form method="post" class="stack">${csrfField(floor, session)}<button class="button wide" type="submit" ${checkout.paidAt !== null && html`disabled`}>${checkout.paidAt ? 'Paid already' : 'Pay with test money'}</button></form>
<p><a href="/dashboard/billing?checkout=cancelled">Cancel</a></p></section>`
    return dashboardPage(floor, session, { place: '/dashboard/billing', title: 'Test checkout', content })
  }),

  privatePage('POST /dashboard/checkout/{id}', async ({ session, params }, floor) => {
    const { id, amountMicros } = await openTest(floor, session, params.id!)
    const paid = { id, provider: 'test', event: `test ${id}`, amountMicros: BigInt(amountMicros) } as const
    await payCheckout(floor.db, paid)
    return { to: '/dashboard/billing?checkout=paid' }
  }),
]

async function openTest({ db, config }: Floor, { caller }: Session, id: string) {
  const isHere = config.testCheckout && caller.mode === 'test' && isUuid(id)
  const checkout = isHere ? await readCheckout(db, caller.accountId, id) : undefined
  if (checkout?.provider !== 'test') throw new Problem('NOT_FOUND')
  return checkout
}

async function topUp(floor: Floor, session: Session, said?: Html): Promise<Html> {
  const { packs, custom, provider } = offerOf(floor)
  const isOpen = provider !== null && (provider === 'test') === (session.caller.mode === 'test')
  const buttons = packs.map(
    ({ id, amountMicros }) =>
      html`<button class="pack" type="submit" name="amount" value="${id}"><span class="big">$${id}</span><span class="dim">${calls(amountMicros)}</span></button>`,
  )
  const content = html`${said}${isOpen ? '' : note('plain', floor.payments ? 'No card is taken here: pay from a wallet.' : NO_CHECKOUT)}
${
  isOpen &&
  html`${provider === 'test' && note('plain', html`<strong>Test checkout.</strong> It credits test money and asks for no card.`)}
<form method="post" action="/dashboard/billing"><div class="packs">${csrfField(floor, session)}${buttons}</div></form>
<section class="card"><h2>Another amount</h2><form method="post" action="/dashboard/billing" class="limits">${csrfField(floor, session)}
<div><label for="amount">USD, ${custom.minUsd} to ${custom.maxUsd}</label><input id="amount" name="amount" inputmode="decimal" required placeholder="25.00"></div><button class="button small" type="submit">Continue</button></form></section>`
}
${floor.payments && (await crypto(floor, session, floor.payments.network))}
<p class="dim">Prepaid, no subscription: money stays until calls use it, and a call that fails is free.</p>`
  return dashboardPage(floor, session, {
    place: '/dashboard/billing',
    title: 'Top up',
    lead: 'Choose an amount. It is on your balance as soon as it is paid.',
    content,
  })
}

/** A wallet pays by a button where the browser has one, and without a page as well: the offer and the receipt are HTTP. */
async function crypto(floor: Floor, session: Session, network: PaymentNetwork): Promise<Html> {
  const { config, db } = floor
  const joined = (await listWallets(db, session.caller.accountId)).map(({ address }) => address)
  const call = `POST ${config.publicUrl}/v1/billing/crypto-checkout\n{"amountUsd":"10"}`
  return html`<section class="card stack"><h2>From a wallet</h2><p class="dim">Pay USDC or EURC by x402: you sign, we put it on the chain. A wallet that pays here <a href="/dashboard/account">joins this account</a> first.</p>
${payingForm(floor, network, joined, csrfField(floor, session))}<p class="dim small">From code, the credit goes to the account of the wallet that pays:</p>${code(call, 'The call of a crypto checkout')}</section>`
}

function calls(amountMicros: string): string {
  return `up to ${(BigInt(amountMicros) / 1_000n).toLocaleString('en-US')} calls`
}

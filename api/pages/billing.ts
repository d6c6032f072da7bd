import { isUuid, type PaymentNetwork, Problem } from '#kit'
import { readAccount } from '../../sql/account.ts'
import { payCheckout, readCheckout } from '../../sql/checkout.ts'
import { listWallets } from '../../sql/wallet.ts'
import type { ApiContext } from '../context.ts'
import type { Session } from '../intake/identity/session.ts'
import { beginCheckout, buildOffer } from '../routes/billing/schema.ts'
import { type Draft, keepTyped, NO_DRAFT, renderField } from './parts/field.ts'
import { formatMoney } from './parts/format.ts'
import { type Html, html } from './parts/html.ts'
import { renderCode, renderCsrfField, renderDashboardPage, renderNotice } from './parts/layout.ts'
import { definePrivatePage } from './parts/page.ts'
import { renderPaymentForm } from './parts/wallet-form.ts'

const NOTICES: Record<string, Html> = {
  done: renderNotice('good', 'Thank you. The credit is added as soon as the payment arrives, usually within seconds.'),
  cancelled: renderNotice('plain', 'The checkout was cancelled. Nothing was charged.'),
  wallet: renderNotice('good', 'Thank you. The payment has arrived and is on your balance.'),
  paid: renderNotice('good', 'Done. The test money is on your balance.'),
}

const AMOUNT = html`inputmode="decimal" autocomplete="off" required placeholder="25.00"`
const NO_CHECKOUT = 'Topping up is not available: the operator has not configured a checkout for this kind of account.'

export const billingPages = [
  definePrivatePage('GET /dashboard/billing', async ({ session, query }, context) =>
    renderBillingPage(context, session, { notice: NOTICES[query.checkout ?? ''] }),
  ),

  definePrivatePage('POST /dashboard/billing', async ({ session, form, reply }, context) => {
    try {
      const { url } = await beginCheckout(context, session.caller, (form.get('amount') ?? '').trim())
      return { redirectTo: url }
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'INVALID_PARAM') throw error
      reply.code(400)
      const { min, max } = error.hints
      const fault = `Enter an amount in dollars and cents, from ${min} to ${max}.`
      return renderBillingPage(context, session, { draft: keepTyped(form, { amount: fault }) })
    }
  }),

  definePrivatePage('GET /dashboard/checkout/{id}', async ({ session, params }, context) => {
    const checkout = await readTestCheckout(context, session, params.id!)
    const content = html`<section class="card narrow test"><p class="eyebrow">Test checkout</p>
<h2 class="big">${formatMoney(checkout.amountMicros)}</h2><p>This is a test: you need no card, no real money moves, and you receive test money.</p>
<form method="post" class="stack">${renderCsrfField(context, session)}<button class="button wide" type="submit" ${checkout.paidAt !== null && html`disabled`}>${checkout.paidAt ? 'Already paid' : 'Pay with test money'}</button></form>
<p><a href="/dashboard/billing?checkout=cancelled">Cancel</a></p></section>`
    return renderDashboardPage(context, session, { path: '/dashboard/billing', title: 'Test checkout', content })
  }),

  definePrivatePage('POST /dashboard/checkout/{id}', async ({ session, params }, context) => {
    const { id, amountMicros } = await readTestCheckout(context, session, params.id!)
    const paid = { id, provider: 'test', event: `test ${id}`, amountMicros: BigInt(amountMicros) } as const
    await payCheckout(context.db, paid)
    return { redirectTo: '/dashboard/billing?checkout=paid' }
  }),
]

async function readTestCheckout({ db, config }: ApiContext, { caller }: Session, id: string) {
  const canExist = config.hasTestCheckout && caller.mode === 'test' && isUuid(id)
  const checkout = canExist ? await readCheckout(db, caller.accountId, id) : undefined
  if (checkout?.provider !== 'test') throw new Problem('NOT_FOUND')
  return checkout
}

async function renderBillingPage(
  context: ApiContext,
  session: Session,
  { notice, draft = NO_DRAFT }: { notice?: Html; draft?: Draft },
): Promise<Html> {
  const account = await readAccount(context.db, session.caller.accountId)
  const { balanceMicros, heldMicros } = account!
  const { packs, custom, provider } = buildOffer(context)
  const canCheckOut = provider !== null && (provider === 'test') === (session.caller.mode === 'test')
  const buttons = packs.map(
    ({ id, amountMicros }) =>
      html`<button class="pack" type="submit" name="amount" value="${id}"><span class="big">$${id}</span><span class="dim">${describeCalls(amountMicros)}</span></button>`,
  )
  const held =
    BigInt(heldMicros) > 0n && html`<p class="dim">${formatMoney(heldMicros)} more is held for open jobs.</p>`
  const content = html`${notice}<section class="card figure main"><h2>Balance</h2><p class="big">${formatMoney(balanceMicros)}</p>${held}</section>
${canCheckOut ? '' : renderNotice('plain', context.payments ? 'Cards are not accepted here. Pay from a wallet instead.' : NO_CHECKOUT)}
${
  canCheckOut &&
  html`${provider === 'test' && renderNotice('plain', html`<strong>Test checkout.</strong> It adds test money to your balance and needs no card.`)}
<form method="post" action="/dashboard/billing"><div class="packs">${renderCsrfField(context, session)}${buttons}</div></form>
<section class="card"><h2>Another amount</h2><form method="post" action="/dashboard/billing" class="limits">${renderCsrfField(context, session)}
${renderField({ id: 'amount', name: 'amount', label: `USD, ${custom.minUsd} to ${custom.maxUsd}`, attributes: AMOUNT }, draft)}<button class="button small" type="submit">Continue</button></form></section>`
}
${context.payments && (await renderWalletSection(context, session, context.payments.network))}
<p class="dim">Prepaid, with no subscription: your balance stays until you use it, and a failed call is free.</p>`
  return renderDashboardPage(context, session, {
    path: '/dashboard/billing',
    title: 'Top up',
    lead: 'Choose an amount. It is added to your balance as soon as it is paid.',
    content,
  })
}

/** A browser wallet pays with a button; any other wallet can make the same HTTP call, which is shown below the form. */
async function renderWalletSection(context: ApiContext, session: Session, network: PaymentNetwork): Promise<Html> {
  const { config, db } = context
  const linkedWallets = (await listWallets(db, session.caller.accountId)).map(({ address }) => address)
  const call = `POST ${config.publicUrl}/v1/billing/crypto-checkout\n{"amountUsd":"10"}`
  return html`<section class="card stack"><h2>From a wallet</h2><p class="dim">Pay in USDC or EURC by x402: you sign, and we submit the payment to the chain. Your wallet is <a href="/dashboard/account">linked to this account</a> first.</p>
${renderPaymentForm(context, network, linkedWallets, renderCsrfField(context, session))}<p class="dim small">Or pay from code; the credit goes to the account of the paying wallet:</p>${renderCode(call, 'A crypto checkout call')}</section>`
}

function describeCalls(amountMicros: string): string {
  return `up to ${(BigInt(amountMicros) / 1_000n).toLocaleString('en-US')} calls`
}

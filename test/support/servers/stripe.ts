import { createHmac } from 'node:crypto'
import { type LocalServer, openLocalServer } from './local.ts'

const WEBHOOK_SECRET = 'whsec_a_secret_of_the_tests'

/** A fake Stripe with the one endpoint that we call. */
export interface FakeStripe extends LocalServer {
  env: Record<string, string>
  /** The parameters of each created checkout session, by its id. */
  sessions: Map<string, URLSearchParams>
}

export async function openFakeStripe(): Promise<FakeStripe> {
  const sessions = new Map<string, URLSearchParams>()
  const server = await openLocalServer(({ method, path, body, headers }) => {
    if (method !== 'POST' || path !== '/v1/checkout/sessions') return undefined
    if (headers.authorization !== 'Bearer sk_test_tests') return { status: 401, error: { message: 'no such key' } }
    const id = `cs_test_${sessions.size + 1}`
    sessions.set(id, new URLSearchParams(body))
    return { id, object: 'checkout.session', url: `https://checkout.stripe.com/c/pay/${id}` }
  })
  return {
    ...server,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    sessions,
    env: { STRIPE_SECRET_KEY: 'sk_test_tests', STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET, STRIPE_API_URL: server.url },
  }
}

export interface CheckoutEvent {
  event?: string
  type?: string
  checkoutId: string
  cents: number
  status?: string
  currency?: string
  /** The payment intent of the checkout. */
  intent?: string
}

/** A webhook message in Stripe's format. */
export function buildCheckoutEvent({
  event,
  type,
  checkoutId,
  cents,
  status,
  currency,
  intent,
}: CheckoutEvent): string {
  return buildEvent(event ?? 'evt_1', type ?? 'checkout.session.completed', {
    id: 'cs_test_1',
    object: 'checkout.session',
    client_reference_id: checkoutId,
    payment_intent: intent ?? null,
    amount_total: cents,
    currency: currency ?? 'usd',
    payment_status: status ?? 'paid',
  })
}

export function buildEvent(id: string, type: string, object: object): string {
  return JSON.stringify({ id, object: 'event', type, data: { object } })
}

/** The signature header of a webhook message. */
export function signEvent(
  message: string,
  secret = WEBHOOK_SECRET,
  atSeconds = Math.floor(Date.now() / 1_000),
): string {
  return `t=${atSeconds},v1=${createHmac('sha256', secret).update(`${atSeconds}.${message}`).digest('hex')}`
}

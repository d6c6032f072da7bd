import { createHmac } from 'node:crypto'
import { type LocalServer, openLocalServer } from './local-server.ts'

export const WEBHOOK_SECRET = 'whsec_a_secret_of_the_tests'

/** The one call of Stripe's that we make, and the messages it sends. */
export interface StripeDouble extends LocalServer {
  env: Record<string, string>
  /** What was asked for, by the id of the session that was made of it. */
  sessions: Map<string, URLSearchParams>
}

export async function openStripeDouble(): Promise<StripeDouble> {
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

export interface Told {
  event?: string
  type?: string
  checkoutId: string
  cents: number
  status?: string
  currency?: string
  /** What Stripe calls the payment behind the checkout. */
  intent?: string
}

/** A message as Stripe writes it. */
export function messageOf({ event, type, checkoutId, cents, status, currency, intent }: Told): string {
  return eventOf(event ?? 'evt_1', type ?? 'checkout.session.completed', {
    id: 'cs_test_1',
    object: 'checkout.session',
    client_reference_id: checkoutId,
    payment_intent: intent ?? null,
    amount_total: cents,
    currency: currency ?? 'usd',
    payment_status: status ?? 'paid',
  })
}

export function eventOf(id: string, type: string, object: object): string {
  return JSON.stringify({ id, object: 'event', type, data: { object } })
}

/** The header Stripe signs a message with. */
export function signatureOf(
  message: string,
  secret = WEBHOOK_SECRET,
  atSeconds = Math.floor(Date.now() / 1_000),
): string {
  return `t=${atSeconds},v1=${createHmac('sha256', secret).update(`${atSeconds}.${message}`).digest('hex')}`
}

import { MICROS_PER_USD, Problem, usd } from '#kit'
import { type CheckoutProvider, noteCheckout, openCheckout } from '../../../sql/checkout.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from '../../intake/identity/caller.ts'

/** Preset amounts, named after their number of dollars. */
export const PACKS = ['5', '20', '50', '100'] as const

const MICROS_PER_CENT = MICROS_PER_USD / 100n

interface Offer {
  packs: { id: string; amountUsd: string; amountMicros: string }[]
  custom: { minUsd: string; maxUsd: string }
  provider: CheckoutProvider | null
}

/** The amounts that can be bought, and the provider that takes the payment. */
export function buildOffer(context: ApiContext): Offer {
  const { min, max } = readBounds(context)
  const packs = PACKS.filter(id => usd(id) >= min && usd(id) <= max)
  return {
    packs: packs.map(id => ({ id, amountUsd: id, amountMicros: usd(id).toString() })),
    custom: { minUsd: String(min / MICROS_PER_USD), maxUsd: String(max / MICROS_PER_USD) },
    provider: selectProvider(context) ?? null,
  }
}

function selectProvider({ stripe, config }: ApiContext): CheckoutProvider | undefined {
  if (stripe) return 'stripe'
  return config.hasTestCheckout ? 'test' : undefined
}

function readBounds({ settings }: ApiContext): { min: bigint; max: bigint } {
  const [min, max] = [settings.get('billing.min_usd'), settings.get('billing.max_usd')]
  return { min: BigInt(Math.ceil(min)) * MICROS_PER_USD, max: BigInt(Math.floor(max)) * MICROS_PER_USD }
}

interface OpenedCheckout {
  id: string
  url: string
  amountMicros: string
  provider: CheckoutProvider
}

/** Starts a top-up. The returned address is the payment page: Stripe's, or our own for test money. */
export async function beginCheckout(context: ApiContext, caller: Caller, amountUsd: string): Promise<OpenedCheckout> {
  const provider = selectProvider(context)
  if (!provider) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'checkout', adapters: ['stripe'] })
  const { accountId, mode } = caller
  const amountMicros = parseAmount(context, amountUsd)
  if ((provider === 'test') !== (mode === 'test')) throw new Problem('MODE_DISABLED', { mode, provider })
  const id = await openCheckout(context.db, { accountId, provider, amountMicros })
  const checkout = { id, provider, amountMicros: amountMicros.toString() }
  const { publicUrl } = context.config
  if (provider === 'test') return { ...checkout, url: `${publicUrl}/dashboard/checkout/${id}` }
  const session = await context.stripe!.openCheckout({ id, amountMicros, returnUrl: `${publicUrl}/dashboard/billing` })
  await noteCheckout(context.db, id, session.reference)
  return { ...checkout, url: session.url }
}

function parseAmount(context: ApiContext, amountUsd: string): bigint {
  const { min, max } = readBounds(context)
  const createProblem = () =>
    new Problem('INVALID_PARAM', {
      field: 'amountUsd',
      reason: 'must be an amount of whole cents between min and max',
      min: String(min / MICROS_PER_USD),
      max: String(max / MICROS_PER_USD),
    })
  if (!/^\d{1,7}(\.\d{1,2})?$/.test(amountUsd)) throw createProblem()
  const micros = usd(amountUsd)
  if (micros < min || micros > max || micros % MICROS_PER_CENT !== 0n) throw createProblem()
  return micros
}

import { MICROS_PER_USD, Problem, usd } from '#kit'
import { type CheckoutProvider, noteCheckout, openCheckout } from '../../../sql/checkout.ts'
import type { Floor } from '../../floor.ts'
import type { Caller } from '../../intake/authenticate.ts'

/** Ready-made amounts; the name is the number of dollars. */
export const PACKS = ['5', '20', '50', '100'] as const

const MICROS_PER_CENT = MICROS_PER_USD / 100n

export interface Offer {
  packs: { id: string; amountUsd: string; amountMicros: string }[]
  custom: { minUsd: string; maxUsd: string }
  provider: CheckoutProvider | null
}

/** What can be bought here, and by whom it is cashed. */
export function offerOf(floor: Floor): Offer {
  const { min, max } = boundsOf(floor)
  const packs = PACKS.filter(id => usd(id) >= min && usd(id) <= max)
  return {
    packs: packs.map(id => ({ id, amountUsd: id, amountMicros: usd(id).toString() })),
    custom: { minUsd: String(min / MICROS_PER_USD), maxUsd: String(max / MICROS_PER_USD) },
    provider: providerOf(floor) ?? null,
  }
}

function providerOf({ stripe, config }: Floor): CheckoutProvider | undefined {
  if (stripe) return 'stripe'
  return config.testCheckout ? 'test' : undefined
}

function boundsOf({ settings }: Floor): { min: bigint; max: bigint } {
  const [min, max] = [settings.get('billing.min_usd'), settings.get('billing.max_usd')]
  return { min: BigInt(Math.ceil(min)) * MICROS_PER_USD, max: BigInt(Math.floor(max)) * MICROS_PER_USD }
}

export interface OpenedCheckout {
  id: string
  url: string
  amountMicros: string
  provider: CheckoutProvider
}

/** Begins a top-up: the address is where the money is paid, at Stripe or, as play money, on a page of ours. */
export async function beginCheckout(floor: Floor, caller: Caller, amountUsd: string): Promise<OpenedCheckout> {
  const provider = providerOf(floor)
  if (!provider) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'checkout', adapters: ['stripe'] })
  const { accountId, mode } = caller
  const amountMicros = amountIn(floor, amountUsd)
  if ((provider === 'test') !== (mode === 'test')) throw new Problem('MODE_DISABLED', { mode, provider })
  const id = await openCheckout(floor.db, { accountId, provider, amountMicros })
  const shown = { id, provider, amountMicros: amountMicros.toString() }
  const { publicUrl } = floor.config
  if (provider === 'test') return { ...shown, url: `${publicUrl}/dashboard/checkout/${id}` }
  const session = await floor.stripe!.open({ id, amountMicros, returnUrl: `${publicUrl}/dashboard/billing` })
  await noteCheckout(floor.db, id, session.reference)
  return { ...shown, url: session.url }
}

function amountIn(floor: Floor, amountUsd: string): bigint {
  const { min, max } = boundsOf(floor)
  const wrong = () =>
    new Problem('INVALID_PARAM', {
      field: 'amountUsd',
      reason: 'an amount of whole cents within the bounds',
      min: String(min / MICROS_PER_USD),
      max: String(max / MICROS_PER_USD),
    })
  if (!/^\d{1,7}(\.\d{1,2})?$/.test(amountUsd)) throw wrong()
  const micros = usd(amountUsd)
  if (micros < min || micros > max || micros % MICROS_PER_CENT !== 0n) throw wrong()
  return micros
}

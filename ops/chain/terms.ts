import type { Authorization, PaymentNetwork, SignedPayment } from '#kit'
import { REASONS } from './reasons.ts'

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const WORD = /^0x[0-9a-fA-F]{64}$/
const BYTES = /^0x([0-9a-fA-F]{2})+$/
const LARGEST = (1n << 256n) - 1n
/** Of a contract wallet's signature: passkeys and many owners take some hundreds of bytes. */
const LONGEST_SIGNATURE = 2 + 2 * 16_384

export interface Terms {
  nowSeconds: number
  /** How long the authorization must still be valid, so that it can be mined in time. */
  lifeSeconds: number
  /** The least that must be paid, where there is a price. */
  atLeast?: bigint
}

/** What is wrong with a payment that can be told without asking anybody; the first fault, or nothing. */
export function faultOf(payment: SignedPayment, network: PaymentNetwork, terms: Terms): string | undefined {
  const { asset, authorization, signature } = payment
  if (!isWellFormed(authorization)) return REASONS.payload
  if (!network.assets.some(({ address }) => address.toLowerCase() === asset.toLowerCase())) return REASONS.asset
  if (!BYTES.test(signature) || signature.length > LONGEST_SIGNATURE) return REASONS.signature
  const { to, value, validAfter, validBefore } = authorization
  if (to.toLowerCase() !== network.payTo.toLowerCase()) return REASONS.recipient
  if (validBefore < BigInt(terms.nowSeconds + terms.lifeSeconds)) return REASONS.validBefore
  if (validAfter > BigInt(terms.nowSeconds)) return REASONS.validAfter
  if (value <= 0n || value < (terms.atLeast ?? 0n)) return REASONS.value
  return undefined
}

function isWellFormed({ from, to, nonce, value, validAfter, validBefore }: Authorization): boolean {
  const areNumbers = [value, validAfter, validBefore].every(number => number >= 0n && number <= LARGEST)
  return areNumbers && ADDRESS.test(from) && ADDRESS.test(to) && WORD.test(nonce)
}

import type { Authorization } from '#kit'
import type { PaymentNetwork, SignedPayment } from './contract.ts'
import { REASONS } from './reasons.ts'

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const BYTES32 = /^0x[0-9a-fA-F]{64}$/
const BYTES = /^0x([0-9a-fA-F]{2})+$/
const MAX_UINT256 = (1n << 256n) - 1n
/** Contract wallets with passkeys or many owners have signatures of some hundred bytes. */
const MAX_SIGNATURE_LENGTH = 2 + 2 * 16_384

interface Terms {
  nowSeconds: number
  /** How long the authorization must remain valid, so that it can be mined in time. */
  minValiditySeconds: number
  /** The lowest accepted value, if there is a price. */
  minValue?: bigint
}

/** The first fault of a payment that can be found without the chain, as a reason of the protocol. */
export function findFault(payment: SignedPayment, network: PaymentNetwork, terms: Terms): string | undefined {
  const { asset, authorization, signature } = payment
  if (!isWellFormed(authorization)) return REASONS.payload
  if (!network.assets.some(({ address }) => address.toLowerCase() === asset.toLowerCase())) return REASONS.asset
  if (!BYTES.test(signature) || signature.length > MAX_SIGNATURE_LENGTH) return REASONS.signature
  const { to, value, validAfter, validBefore } = authorization
  if (to.toLowerCase() !== network.payTo.toLowerCase()) return REASONS.recipient
  if (validBefore < BigInt(terms.nowSeconds + terms.minValiditySeconds)) return REASONS.validBefore
  if (validAfter > BigInt(terms.nowSeconds)) return REASONS.validAfter
  if (value <= 0n || value < (terms.minValue ?? 0n)) return REASONS.value
  return undefined
}

function isWellFormed({ from, to, nonce, value, validAfter, validBefore }: Authorization): boolean {
  const areInRange = [value, validAfter, validBefore].every(number => number >= 0n && number <= MAX_UINT256)
  return areInRange && ADDRESS.test(from) && ADDRESS.test(to) && BYTES32.test(nonce)
}

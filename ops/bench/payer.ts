import { randomBytes } from 'node:crypto'
import { signRecoverable } from 'tiny-secp256k1'
import type { Authorization, SignedPayment } from '#kit'
import { DEV_WALLETS } from '../chain/dev-wallets.ts'
import { digestOf, domainsOf } from '../chain/digest.ts'
import { NETWORKS } from '../chain/networks.ts'

export const NETWORK = { ...NETWORKS.dev, payTo: DEV_WALLETS.payee.address }
const USDC = NETWORK.assets[0]!
const DOMAIN = domainsOf(NETWORK).get(USDC.address.toLowerCase())!
const KEY = Buffer.from(DEV_WALLETS.payer.key.slice(2), 'hex')

/** A payment by the funded wallet of the local chain, signed as a client does, only faster. */
export function signedPayment(value: bigint): SignedPayment {
  const authorization: Authorization = {
    from: DEV_WALLETS.payer.address,
    to: NETWORK.payTo,
    value,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1_000) + 290),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  }
  const { signature, recoveryId } = signRecoverable(digestOf(DOMAIN, authorization), KEY)
  const v = recoveryId === 0 ? '1b' : '1c'
  return {
    version: 2,
    asset: USDC.address,
    authorization,
    signature: `0x${Buffer.from(signature).toString('hex')}${v}`,
  }
}

/** The header of a paid request, in the second version of the protocol. */
export function paymentHeader({ authorization, signature, asset }: SignedPayment): string {
  const { value, validAfter, validBefore } = authorization
  const numbers = { value: String(value), validAfter: String(validAfter), validBefore: String(validBefore) }
  const payload = { authorization: { ...authorization, ...numbers }, signature }
  const accepted = {
    scheme: 'exact',
    network: NETWORK.caip2,
    amount: '10000',
    asset,
    payTo: NETWORK.payTo,
    maxTimeoutSeconds: 300,
    extra: { name: USDC.domainName, version: USDC.domainVersion },
  }
  return Buffer.from(JSON.stringify({ x402Version: 2, payload, accepted })).toString('base64')
}

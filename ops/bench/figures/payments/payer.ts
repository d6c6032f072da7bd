import { randomBytes } from 'node:crypto'
import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js'
import type { Authorization, SignedPayment } from '#kit'
import { DEV_WALLETS } from '../../../dev-chain/wallets.ts'
import { computeDigest, computeDomains } from '../../../providers/chain/digest.ts'
import { NETWORKS } from '../../../providers/chain/networks.ts'

export const NETWORK = { ...NETWORKS.dev, payTo: DEV_WALLETS.payee.address }
const USDC = NETWORK.assets[0]!
const DOMAIN = computeDomains(NETWORK).get(USDC.address.toLowerCase())!
const SECP256K1 = await instantiateSecp256k1()
const KEY = Buffer.from(DEV_WALLETS.payer.key.slice(2), 'hex')

/** Signs a payment with the funded wallet of the local chain: what a client does, only faster. */
export function signPayment(value: bigint): SignedPayment {
  const authorization: Authorization = {
    from: DEV_WALLETS.payer.address,
    to: NETWORK.payTo,
    value,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1_000) + 290),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  }
  const signed = SECP256K1.signMessageHashRecoverableCompact(KEY, computeDigest(DOMAIN, authorization))
  if (typeof signed === 'string') throw new Error(signed)
  const { signature, recoveryId } = signed
  const v = recoveryId === 0 ? '1b' : '1c'
  return {
    version: 2,
    asset: USDC.address,
    authorization,
    signature: `0x${Buffer.from(signature).toString('hex')}${v}`,
  }
}

/** Encodes the payment header of version 2 of the protocol. */
export function encodePaymentHeader({ authorization, signature, asset }: SignedPayment): string {
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

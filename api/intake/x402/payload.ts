import type { IncomingHttpHeaders } from 'node:http'
import type { Authorization, PaymentAsset, PaymentNetwork, SignedPayment } from '#kit'
import { REASONS, refused } from './refusal.ts'

/** A payment as it was presented: well-formed, for us, in time; whether it is signed and covered is not known yet. */
export interface Presented {
  version: 1 | 2
  authorization: Authorization
  signature: string
  /** Version 1 does not say which token it signed for: any of these it may be, in order. */
  assets: readonly PaymentAsset[]
  /** What the payment-identifier extension says. */
  identifier: string | undefined
  raw: unknown
}

/** What is settled at the least; a call that costs less draws down what is left of it. */
export const CHUNK_MICROS = 10_000n

const MOST_BYTES = 24 * 1024
/** Less life than this is not enough to get a transaction into a block. */
const LEAST_LIFE_SECONDS = 6n
/** More than any call costs by far, and small enough for a ledger. */
const MOST_MICROS = 10_000_000_000n

export function paymentHeader(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['payment-signature'] ?? headers['x-payment']
  return Array.isArray(given) ? given.join(',') : given
}

type Fields = Record<string, unknown>

/** Which version it is, its shape says: some clients of version 1 copy the number 2 from our offer. */
export function readPayment(header: string, network: PaymentNetwork, nowMs: number): Presented {
  const raw = decoded(header)
  const { payload, accepted, scheme, network: named, extensions } = raw
  const isV2 = isObject(accepted)
  const terms = isV2 ? accepted : { scheme, network: named }
  if (terms.scheme !== 'exact') throw refused(REASONS.scheme)
  if (terms.network !== (isV2 ? network.caip2 : network.v1Name)) throw refused(REASONS.network)
  if (!isObject(payload)) throw refused(REASONS.payload)
  if (!isObject(payload.authorization)) throw refused(REASONS.kind)
  const authorization = authorizationOf(payload.authorization)
  const signature = String(payload.signature)
  if (!/^0x([0-9a-f]{2}){64,4096}$/i.test(signature)) throw refused(REASONS.signatureForm)
  const assets = isV2 ? [assetOf(terms, network)] : network.assets
  checkTerms(authorization, network, BigInt(Math.floor(nowMs / 1_000)))
  return { version: isV2 ? 2 : 1, authorization, signature, assets, identifier: identifierOf(extensions), raw }
}

export function asSigned({ version, authorization, signature, raw }: Presented, asset: PaymentAsset): SignedPayment {
  return { version, asset: asset.address, authorization, signature, raw }
}

function decoded(header: string): Fields {
  const text = header.trim()
  if (text.length > MOST_BYTES || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw refused(REASONS.payload)
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64').toString('utf8'))
    if (isObject(value)) return value
  } catch {
    // What is not JSON is refused as what is not an object is.
  }
  throw refused(REASONS.payload)
}

function authorizationOf(given: Fields): Authorization {
  const { from, to, nonce } = given
  if (!isAddress(from) || !isAddress(to)) throw refused(REASONS.payload)
  if (typeof nonce !== 'string' || !/^0x[0-9a-f]{64}$/i.test(nonce)) throw refused(REASONS.payload)
  return {
    from,
    to,
    nonce: nonce.toLowerCase(),
    value: wholeNumber(given.value),
    validAfter: wholeNumber(given.validAfter),
    validBefore: wholeNumber(given.validBefore),
  }
}

function checkTerms(
  { to, value, validAfter, validBefore }: Authorization,
  network: PaymentNetwork,
  nowSeconds: bigint,
): void {
  if (to.toLowerCase() !== network.payTo.toLowerCase()) throw refused(REASONS.recipient)
  if (validBefore < nowSeconds + LEAST_LIFE_SECONDS) throw refused(REASONS.validBefore)
  if (validAfter > nowSeconds) throw refused(REASONS.validAfter)
  if (value < CHUNK_MICROS) throw refused(REASONS.value, { leastMicros: CHUNK_MICROS.toString() })
  if (value > MOST_MICROS) throw refused(REASONS.value, { mostMicros: MOST_MICROS.toString() })
}

/** The token of a version 2 payment must be one that we offer, and be meant for us. */
function assetOf({ asset, payTo }: Fields, network: PaymentNetwork): PaymentAsset {
  const found = network.assets.find(({ address }) => address.toLowerCase() === String(asset).toLowerCase())
  if (!found) throw refused(REASONS.requirements)
  if (String(payTo).toLowerCase() !== network.payTo.toLowerCase()) throw refused(REASONS.recipient)
  return found
}

function identifierOf(extensions: unknown): string | undefined {
  const extension = isObject(extensions) ? extensions['payment-identifier'] : undefined
  const info = isObject(extension) ? extension.info : undefined
  const id = isObject(info) ? info.id : undefined
  if (id === undefined) return undefined
  if (typeof id !== 'string' || !/^[\w-]{16,128}$/.test(id)) throw refused(REASONS.payload)
  return id
}

function wholeNumber(value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value !== 'string' || !/^\d{1,78}$/.test(value)) throw refused(REASONS.payload)
  return BigInt(value)
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

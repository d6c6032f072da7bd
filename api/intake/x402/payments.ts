import {
  type Authorization,
  type ChainCheck,
  type Facilitator,
  newId,
  type PaymentAsset,
  type PaymentNetwork,
  Problem,
  type SignedPayment,
} from '#kit'
import type { Db } from '../../../sql/db.ts'
import type { DatabaseClock } from '../../../sql/hosts/clock.ts'
import { findWallet, openWallet, useNonce, type Wallet } from '../../../sql/payment.ts'
import type { Caller } from '../identity/caller.ts'
import { REASONS, refused } from './errors.ts'

/** A parsed payment header: well-formed, addressed to us and in time. Signature and balance are not checked yet. */
interface PaymentPayload {
  version: 1 | 2
  authorization: Authorization
  signature: string
  /** Version 1 does not name the token; these are tried in order. */
  assets: readonly PaymentAsset[]
  /** From the payment-identifier extension. */
  identifier: string | undefined
  raw: unknown
}

/** The smallest settlement. Calls that cost less draw down the rest of it. */
export const CHUNK_MICROS = 10_000n

const MAX_BYTES = 24 * 1024
/** An authorization with less time left cannot be settled in time. */
const MIN_LIFE_SECONDS = 6n
/** Far more than any call costs, and small enough for the ledger. */
const MAX_MICROS = 10_000_000_000n

/** A payment with a valid signature, and the account it pays for. */
export interface Payment {
  payload: PaymentPayload
  signed: SignedPayment
  asset: PaymentAsset
  caller: Caller
  /** Earlier payments of this wallet were settled, so work may begin before this one is. */
  isKnown: boolean
}

const REMEMBERED_MS = 10_000
const MAX_REMEMBERED = 50_000
const ON_MAINNET = 8453

/** Verifies payments and finds the account of the wallet that signed them. */
export class Payments {
  readonly facilitator: Facilitator
  readonly network: PaymentNetwork
  /** Authorizations end by the time of the database, because the clock of a host may be wrong. */
  readonly clock: Pick<DatabaseClock, 'aheadMs'>
  readonly #db: Db
  readonly #wallets = new Map<string, { wallet: Wallet; until: number }>()

  constructor(db: Db, facilitator: Facilitator, clock: Pick<DatabaseClock, 'aheadMs'>) {
    this.#db = db
    this.clock = clock
    this.facilitator = facilitator
    this.network = facilitator.network()
  }

  /** Parses and verifies a payment header, cheap checks first. Throws a PaymentProblem for an invalid one. */
  async open(header: string): Promise<Payment> {
    const payload = readPayment(header, this.network, Date.now() - this.clock.aheadMs)
    const asset = await this.#findSignedAsset(payload)
    if (!asset) throw refused(REASONS.signature, { payer: payload.authorization.from })
    const signed = toSignedPayment(payload, asset)
    const { from } = payload.authorization
    const known = await this.#findWallet(from)
    const wallet = known ?? (await this.#openWalletIfFunded(signed))
    if (wallet.isSuspended) throw new Problem('ACCOUNT_SUSPENDED')
    return { payload: payload, signed, asset, caller: this.#createCaller(from, wallet), isKnown: wallet.isKnown }
  }

  /** Checks whether a payment would be accepted, and creates nothing. Throws a PaymentProblem if not. */
  async inspect(header: string): Promise<SignedPayment> {
    const payload = readPayment(header, this.network, Date.now() - this.clock.aheadMs)
    const asset = await this.#findSignedAsset(payload)
    if (!asset) throw refused(REASONS.signature, { payer: payload.authorization.from })
    const signed = toSignedPayment(payload, asset)
    const checked = await this.facilitator.checkOnChain(signed)
    if (!checked.ok) throw refused(checked.reason, { payer: payload.authorization.from })
    return signed
  }

  /** The caller of a wallet that signed in by message. An unknown wallet gets an account. */
  async callerForAddress(address: string): Promise<Caller> {
    const wallet = (await this.#findWallet(address)) ?? (await this.#openWallet(address))
    if (wallet.isSuspended) throw new Problem('ACCOUNT_SUSPENDED')
    return this.#createCaller(address, wallet)
  }

  /** A payer may broadcast the authorization himself: then its money is here, and settling it finds the transaction. */
  async checkOrFind(signed: SignedPayment): Promise<ChainCheck> {
    const checked = await this.facilitator.checkOnChain(signed)
    if (checked.ok || checked.reason !== REASONS.nonceUsed) return checked
    return (await this.facilitator.find(signed)).state === 'used' ? { ok: true } : checked
  }

  isFirstUse(nonce: string, expiresAt: Date): Promise<boolean> {
    return useNonce(this.#db, nonce, expiresAt)
  }

  forget(): void {
    this.#wallets.clear()
  }

  async #findSignedAsset(payload: PaymentPayload): Promise<PaymentAsset | undefined> {
    for (const asset of payload.assets) {
      if (await this.facilitator.verifySignature(toSignedPayment(payload, asset))) return asset
    }
    return undefined
  }

  async #findWallet(address: string): Promise<Wallet | undefined> {
    const key = address.toLowerCase()
    const now = performance.now()
    const kept = this.#wallets.get(key)
    if (kept && kept.until > now) return kept.wallet
    const wallet = await findWallet(this.#db, key)
    if (this.#wallets.size >= MAX_REMEMBERED) this.#wallets.clear()
    if (wallet?.isKnown) this.#wallets.set(key, { wallet, until: now + REMEMBERED_MS })
    return wallet
  }

  /** Anyone can sign, so an account is only created for a wallet that has the money. */
  async #openWalletIfFunded(signed: SignedPayment): Promise<Wallet> {
    const checked = await this.checkOrFind(signed)
    if (!checked.ok) throw refused(checked.reason, { payer: signed.authorization.from })
    return this.#openWallet(signed.authorization.from)
  }

  async #openWallet(address: string): Promise<Wallet> {
    const accountId = await openWallet(this.#db, address, newId(), this.network.chainId !== ON_MAINNET)
    return { accountId, isKnown: false, isSuspended: false }
  }

  #createCaller(address: string, { accountId }: Wallet): Caller {
    const mode = this.network.chainId === ON_MAINNET ? 'live' : 'test'
    return { accountId, credential: address.toLowerCase(), mode, via: 'x402' }
  }
}

type Fields = Record<string, unknown>

/** Which version it is, is told from the structure: some version 1 clients copy the number 2 from our offer. */
function readPayment(header: string, network: PaymentNetwork, nowMs: number): PaymentPayload {
  const raw = decodeHeader(header)
  const { x402Version = 2, payload, accepted, scheme, network: named, extensions } = raw
  if (x402Version !== 1 && x402Version !== 2) throw refused(REASONS.version)
  const isV2 = isObject(accepted)
  const terms = isV2 ? accepted : { scheme, network: named }
  if (terms.scheme !== 'exact') throw refused(REASONS.scheme)
  if (terms.network !== (isV2 ? network.caip2 : network.v1Name)) throw refused(REASONS.network)
  if (!isObject(payload)) throw refused(REASONS.payload)
  if (!isObject(payload.authorization)) throw refused(REASONS.kind)
  const authorization = parseAuthorization(payload.authorization)
  const signature = String(payload.signature)
  if (!/^0x([0-9a-f]{2}){64,4096}$/i.test(signature)) throw refused(REASONS.signatureForm)
  const assets = isV2 ? [findAsset(terms, network)] : network.assets
  checkTerms(authorization, network, BigInt(Math.floor(nowMs / 1_000)))
  return { version: isV2 ? 2 : 1, authorization, signature, assets, identifier: parseIdentifier(extensions), raw }
}

function toSignedPayment(
  { version, authorization, signature, raw }: PaymentPayload,
  asset: PaymentAsset,
): SignedPayment {
  return { version, asset: asset.address, authorization, signature, raw }
}

function decodeHeader(header: string): Fields {
  const text = header.trim()
  if (text.length > MAX_BYTES || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw refused(REASONS.payload)
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64').toString('utf8'))
    if (isObject(value)) return value
  } catch {
    // Invalid JSON is refused below, like any other value that is not an object.
  }
  throw refused(REASONS.payload)
}

function parseAuthorization(given: Fields): Authorization {
  const { from, to, nonce } = given
  if (!isAddress(from) || !isAddress(to)) throw refused(REASONS.payload)
  if (typeof nonce !== 'string' || !/^0x[0-9a-f]{64}$/i.test(nonce)) throw refused(REASONS.payload)
  return {
    from,
    to,
    nonce: nonce.toLowerCase(),
    value: parseWholeNumber(given.value),
    validAfter: parseWholeNumber(given.validAfter),
    validBefore: parseWholeNumber(given.validBefore),
  }
}

function checkTerms(
  { to, value, validAfter, validBefore }: Authorization,
  network: PaymentNetwork,
  nowSeconds: bigint,
): void {
  if (to.toLowerCase() !== network.payTo.toLowerCase()) throw refused(REASONS.recipient)
  if (validBefore < nowSeconds + MIN_LIFE_SECONDS) throw refused(REASONS.validBefore)
  if (validAfter > nowSeconds) throw refused(REASONS.validAfter)
  if (value < CHUNK_MICROS) throw refused(REASONS.value, { leastMicros: CHUNK_MICROS.toString() })
  if (value > MAX_MICROS) throw refused(REASONS.value, { mostMicros: MAX_MICROS.toString() })
}

/** The token of a version 2 payment must be one we offer, and the payee must be us. */
function findAsset({ asset, payTo }: Fields, network: PaymentNetwork): PaymentAsset {
  const found = network.assets.find(({ address }) => address.toLowerCase() === String(asset).toLowerCase())
  if (!found) throw refused(REASONS.requirements)
  if (String(payTo).toLowerCase() !== network.payTo.toLowerCase()) throw refused(REASONS.recipient)
  return found
}

function parseIdentifier(extensions: unknown): string | undefined {
  const extension = isObject(extensions) ? extensions['payment-identifier'] : undefined
  const info = isObject(extension) ? extension.info : undefined
  const id = isObject(info) ? info.id : undefined
  if (id === undefined) return undefined
  if (typeof id !== 'string' || !/^[\w-]{16,128}$/.test(id)) throw refused(REASONS.payload)
  return id
}

function parseWholeNumber(value: unknown): bigint {
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

import {
  type ChainCheck,
  type Facilitator,
  newId,
  type PaymentAsset,
  type PaymentNetwork,
  Problem,
  type SignedPayment,
} from '#kit'
import type { Db } from '../../../sql/db.ts'
import { findWallet, openWallet, useNonce, type Wallet } from '../../../sql/payment.ts'
import type { Caller } from '../identity/caller.ts'
import { REASONS, refused } from './errors.ts'
import { type PaymentPayload, readPayment, toSignedPayment } from './payload.ts'

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
  readonly #db: Db
  readonly #wallets = new Map<string, { wallet: Wallet; until: number }>()

  constructor(db: Db, facilitator: Facilitator) {
    this.#db = db
    this.facilitator = facilitator
    this.network = facilitator.network()
  }

  /** Parses and verifies a payment header, cheap checks first. Throws a PaymentProblem for an invalid one. */
  async open(header: string): Promise<Payment> {
    const payload = readPayment(header, this.network, Date.now())
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
    const payload = readPayment(header, this.network, Date.now())
    const asset = await this.#findSignedAsset(payload)
    if (!asset) throw refused(REASONS.signature, { payer: payload.authorization.from })
    const signed = toSignedPayment(payload, asset)
    const checked = await this.check(signed)
    if (!checked.ok) throw refused(checked.reason, { payer: payload.authorization.from })
    return signed
  }

  /** The caller of a wallet that signed in by message. An unknown wallet gets an account. */
  async callerForAddress(address: string): Promise<Caller> {
    const wallet = (await this.#findWallet(address)) ?? (await this.#openWallet(address))
    if (wallet.isSuspended) throw new Problem('ACCOUNT_SUSPENDED')
    return this.#createCaller(address, wallet)
  }

  check(signed: SignedPayment): Promise<ChainCheck> {
    return this.facilitator.checkOnChain(signed)
  }

  /** A payer may broadcast the authorization himself: then its money is here, and settling it finds the transaction. */
  async checkOrFind(signed: SignedPayment): Promise<ChainCheck> {
    const checked = await this.check(signed)
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

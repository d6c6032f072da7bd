import {
  type ChainCheck,
  type Facilitator,
  newId,
  type PaymentAsset,
  type PaymentNetwork,
  Problem,
  type Settlement,
  type SignedPayment,
} from '#kit'
import { seal } from '../../../ops/secrets.ts'
import type { Db } from '../../../sql/db.ts'
import { findWallet, openWallet, useNonce, type Wallet } from '../../../sql/payment.ts'
import type { Caller } from '../authenticate.ts'
import { asSigned, type Presented, readPayment } from './payload.ts'
import { REASONS, refused } from './refusal.ts'

/** A payment whose signature holds, with the account it pays for. */
export interface Payment {
  presented: Presented
  signed: SignedPayment
  asset: PaymentAsset
  caller: Caller
  /** Its wallet's payments have arrived so far, so that work may begin before this one has. */
  isKnown: boolean
}

const REMEMBERED_MS = 10_000
const REMEMBERED_MOST = 50_000
const ON_MAINNET = 8453

/** Wallets that pay: whose signature this is, and which account it speaks for. */
export class Payments {
  readonly facilitator: Facilitator
  readonly network: PaymentNetwork
  readonly #db: Db
  readonly #secret: string
  readonly #wallets = new Map<string, { wallet: Wallet; until: number }>()

  constructor(db: Db, facilitator: Facilitator, secret: string) {
    this.#db = db
    this.#secret = secret
    this.facilitator = facilitator
    this.network = facilitator.network()
  }

  /** Reads and verifies a payment header, cheap checks first. Throws what is wrong with it. */
  async open(header: string): Promise<Payment> {
    const presented = readPayment(header, this.network, Date.now())
    const asset = await this.#signedFor(presented)
    if (!asset) throw refused(REASONS.signature, { payer: presented.authorization.from })
    const signed = asSigned(presented, asset)
    const { from } = presented.authorization
    const known = await this.#walletOf(from)
    const wallet = known ?? (await this.#welcome(signed))
    if (wallet.isSuspended) throw new Problem('ACCOUNT_SUSPENDED')
    return { presented, signed, asset, caller: this.#callerOf(from, wallet), isKnown: wallet.isKnown }
  }

  /** Whether a payment would be taken, without making anything for it. Throws what is wrong with it. */
  async inspect(header: string): Promise<SignedPayment> {
    const presented = readPayment(header, this.network, Date.now())
    const asset = await this.#signedFor(presented)
    if (!asset) throw refused(REASONS.signature, { payer: presented.authorization.from })
    const signed = asSigned(presented, asset)
    const checked = await this.check(signed)
    if (!checked.ok) throw refused(checked.reason, { payer: presented.authorization.from })
    return signed
  }

  /** The caller behind an address that has proven itself by a signed text; an unknown wallet gets its account. */
  async callerOf(address: string): Promise<Caller> {
    const wallet = (await this.#walletOf(address)) ?? (await this.#open(address))
    if (wallet.isSuspended) throw new Problem('ACCOUNT_SUSPENDED')
    return this.#callerOf(address, wallet)
  }

  check(signed: SignedPayment): Promise<ChainCheck> {
    return this.facilitator.checkOnChain(signed)
  }

  settle(signed: SignedPayment): Promise<Settlement> {
    return this.facilitator.settle(signed)
  }

  isFirstUse(nonce: string, expiresAt: Date): Promise<boolean> {
    return useNonce(this.#db, nonce, expiresAt)
  }

  /** The authorization as it is kept until it has been settled: readable only with the secret and for this chunk. */
  sealedFor(chunkId: string, signed: SignedPayment): string {
    return seal(this.#secret, JSON.stringify(signed, withoutBigints), chunkId)
  }

  forget(): void {
    this.#wallets.clear()
  }

  async #signedFor(presented: Presented): Promise<PaymentAsset | undefined> {
    for (const asset of presented.assets) {
      if (await this.facilitator.verifySignature(asSigned(presented, asset))) return asset
    }
    return undefined
  }

  async #walletOf(address: string): Promise<Wallet | undefined> {
    const key = address.toLowerCase()
    const now = performance.now()
    const kept = this.#wallets.get(key)
    if (kept && kept.until > now) return kept.wallet
    const wallet = await findWallet(this.#db, key)
    if (this.#wallets.size >= REMEMBERED_MOST) this.#wallets.clear()
    if (wallet?.isKnown) this.#wallets.set(key, { wallet, until: now + REMEMBERED_MS })
    return wallet
  }

  /** Anybody can sign: an account is only made for a wallet that has the money. */
  async #welcome(signed: SignedPayment): Promise<Wallet> {
    const checked = await this.check(signed)
    if (!checked.ok) throw refused(checked.reason, { payer: signed.authorization.from })
    return this.#open(signed.authorization.from)
  }

  async #open(address: string): Promise<Wallet> {
    const accountId = await openWallet(this.#db, address, newId(), this.network.chainId !== ON_MAINNET)
    return { accountId, isKnown: false, isSuspended: false }
  }

  #callerOf(address: string, { accountId }: Wallet): Caller {
    const mode = this.network.chainId === ON_MAINNET ? 'live' : 'test'
    return { accountId, credential: address.toLowerCase(), mode, via: 'x402' }
  }
}

function withoutBigints(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

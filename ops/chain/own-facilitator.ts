import { type Hex, hashMessage, toHex } from 'viem'
import type { ChainCheck, Facilitator, PaymentNetwork, Settlement, SignedPayment } from '#kit'
import type { SenderQueue } from '../../sql/sender.ts'
import { transferOf } from './coin.ts'
import { digestOf, domainsOf } from './digest.ts'
import { HotWallet, NotSent, type Patience, type Sent } from './hot-wallet.ts'
import { KeyChecks } from './key-checks.ts'
import { ChainReader, hasMoved } from './reader.ts'
import { REASONS } from './reasons.ts'
import { type Deployment, unwrapped } from './signature.ts'
import { faultOf } from './terms.ts'

type SignedText = Parameters<Facilitator['verifyMessage']>[0]

export interface OwnOptions {
  network: PaymentNetwork
  rpcUrl: string
  settlerKey: Hex
  factories: readonly string[]
  queue: SenderQueue
  log: { warn(facts: object, text: string): void; error(facts: object, text: string): void }
  patience?: Partial<Patience>
}

const PATIENCE: Patience = { receiptMs: 25_000, stuckMs: 8_000, pollMs: 250 }
/** As much life as an authorization must have left to be mined in time. */
const LIFE_SECONDS = 6
/** How long after its end an authorization may still turn out to have been mined. */
const LATE_SECONDS = 30
const CHECK_FRESH_MS = 3_000
const CHECKS_KEPT = 5_000

/** Verifies and settles payments with a wallet of our own, so that nobody stands between the payer and us. */
export class OwnFacilitator implements Facilitator {
  readonly #options: OwnOptions
  readonly #reader: ChainReader
  readonly #wallet: HotWallet
  readonly #keyChecks = new KeyChecks()
  readonly #domains: ReadonlyMap<string, Uint8Array>
  readonly #factories: ReadonlySet<string>
  readonly #checks = new Map<string, { at: number; check: ChainCheck }>()
  readonly #settling = new Map<string, Promise<Settlement>>()
  readonly #sent = new Map<string, Sent>()

  constructor(options: OwnOptions) {
    const { network, rpcUrl, settlerKey, queue } = options
    this.#options = options
    this.#reader = new ChainReader(network, rpcUrl)
    const patience = { ...PATIENCE, ...options.patience }
    this.#wallet = new HotWallet(settlerKey, network.chainId, this.#reader, queue, patience)
    this.#domains = domainsOf(network)
    this.#factories = new Set(options.factories.map(factory => factory.toLowerCase()))
  }

  network(): PaymentNetwork {
    return this.#options.network
  }

  signers(): readonly string[] {
    return [this.#wallet.address]
  }

  async verifySignature({ asset, authorization, signature }: SignedPayment): Promise<boolean> {
    const domain = this.#domains.get(asset.toLowerCase())
    return domain !== undefined && this.#isSigned(authorization.from, digestOf(domain, authorization), signature)
  }

  verifyMessage({ address, message, signature }: SignedText): Promise<boolean> {
    return this.#isSigned(address, hashMessage(message, 'bytes'), signature)
  }

  async checkOnChain(payment: SignedPayment): Promise<ChainCheck> {
    const key = keyOf(payment)
    const known = this.#checks.get(key)
    if (known && Date.now() - known.at < CHECK_FRESH_MS) return known.check
    const check = await this.#check(payment)
    if (this.#checks.size >= CHECKS_KEPT) this.#checks.clear()
    this.#checks.set(key, { at: Date.now(), check })
    return check
  }

  async find(payment: SignedPayment): Promise<'used' | 'unused' | 'cancelled'> {
    return (await this.#reader.look(payment)).state
  }

  /** May be called again for the same payment, also after an `unknown`: it looks before it sends. */
  settle(payment: SignedPayment): Promise<Settlement> {
    const key = keyOf(payment)
    const running = this.#settling.get(key)
    if (running) return running
    const settlement = this.#settle(payment, key)
      .catch(error => this.#unknown(key, error))
      .finally(() => this.#settling.delete(key))
    this.#settling.set(key, settlement)
    return settlement
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#settling.values())
    await this.#keyChecks.close()
    await this.#options.queue.close()
  }

  /** Plain accounts by their key. An account with code is asked, never taken at its key's word: so does the token. */
  async #isSigned(by: string, digest: Uint8Array, signature: string): Promise<boolean> {
    const { inner, deployment } = unwrapped(signature)
    if (await this.#reader.hasCode(by)) return this.#reader.walletSigned(by, toHex(digest), inner)
    if (!deployment) return this.#keyChecks.isSigned({ address: by, digest, signature: inner })
    return this.#mayDeploy(deployment) && this.#reader.undeployedSigned(by, toHex(digest), signature as Hex)
  }

  #mayDeploy({ factory }: Deployment): boolean {
    return this.#factories.has(factory.toLowerCase())
  }

  async #check(payment: SignedPayment): Promise<ChainCheck> {
    const { from, value } = payment.authorization
    const [isContract, { isUsed, balance }] = await Promise.all([
      this.#reader.hasCode(from),
      this.#reader.standing(payment),
    ])
    if (isUsed) return refused(REASONS.nonceUsed)
    if (balance < value) return refused(REASONS.balance)
    const { deployment } = unwrapped(payment.signature)
    if (deployment && !isContract) return this.#mayDeploy(deployment) ? { ok: true } : refused(REASONS.factory)
    const refusal = await this.#reader.refusal(transferOf(payment, isContract))
    return refusal ? refused(refusal) : { ok: true }
  }

  async #settle(payment: SignedPayment, key: string): Promise<Settlement> {
    const { state, txHash } = await this.#reader.look(payment)
    if (state === 'used' && txHash) return this.#ended(key, { status: 'settled', txHash })
    if (state !== 'unused') return this.#ended(key, { status: 'failed', reason: REASONS.nonceUsed })
    const onItsWay = this.#sent.get(key)
    if (onItsWay) return this.#follow(payment, key, onItsWay)
    const fault = this.#fault(payment, LIFE_SECONDS)
    // Too late to send it, and too early to say that nobody has.
    if (fault === REASONS.validBefore && !this.#fault(payment, -LATE_SECONDS)) return { status: 'unknown' }
    if (fault) return { status: 'failed', reason: fault }
    const undone = await this.#deployed(payment)
    if (undone) return { status: 'failed', reason: undone }
    const check = await this.#check(payment)
    if (!check.ok) return { status: 'failed', reason: check.reason }
    const isContract = await this.#reader.hasCode(payment.authorization.from)
    const sent = await this.#wallet.send(transferOf(payment, isContract))
    this.#sent.set(key, sent)
    return this.#follow(payment, key, sent)
  }

  #fault(payment: SignedPayment, lifeSeconds: number): string | undefined {
    return faultOf(payment, this.network(), { nowSeconds: Math.floor(Date.now() / 1000), lifeSeconds })
  }

  async #follow(payment: SignedPayment, key: string, sent: Sent): Promise<Settlement> {
    const receipt = await this.#wallet.receiptOf(sent)
    if (receipt?.status === 'success' && hasMoved(receipt, payment)) {
      return this.#ended(key, { status: 'settled', txHash: receipt.transactionHash })
    }
    // No receipt, or a reverted one: somebody else may have broadcast the same authorization first.
    const { state, txHash } = await this.#reader.look(payment)
    if (state === 'used' && txHash) return this.#ended(key, { status: 'settled', txHash })
    if (state === 'cancelled') return this.#ended(key, { status: 'failed', reason: REASONS.nonceUsed })
    if (receipt?.status === 'success') return this.#ended(key, { status: 'failed', reason: REASONS.event })
    if (receipt) return this.#ended(key, { status: 'failed', reason: REASONS.transaction })
    if (await this.#wallet.hasPassed(sent)) this.#sent.delete(key)
    return { status: 'unknown', txHash: sent.hashes.at(-1) }
  }

  /** Puts a wallet on the chain that its payer has not deployed yet. Gives the reason where that failed. */
  async #deployed(payment: SignedPayment): Promise<string | undefined> {
    const { from } = payment.authorization
    const { deployment } = unwrapped(payment.signature)
    if (!deployment || (await this.#reader.hasCode(from, true))) return undefined
    if (!this.#mayDeploy(deployment)) return REASONS.factory
    const { isUsed, balance } = await this.#reader.standing(payment)
    if (isUsed || balance < payment.authorization.value) return isUsed ? REASONS.nonceUsed : REASONS.balance
    const call = { to: deployment.factory, data: deployment.data }
    if (await this.#reader.refusal(call)) return REASONS.deployment
    const receipt = await this.#wallet.receiptOf(await this.#wallet.send(call))
    if (!receipt) throw new NotSent('the wallet is still being deployed')
    return (await this.#reader.hasCode(from, true)) ? undefined : REASONS.deployment
  }

  #ended(key: string, settlement: Settlement): Settlement {
    this.#sent.delete(key)
    return settlement
  }

  /** That we could not find out is never held against the payer. */
  #unknown(key: string, error: unknown): Settlement {
    const txHash = this.#sent.get(key)?.hashes.at(-1)
    const { name, message } = error as Error
    if (error instanceof NotSent) this.#options.log.error({ said: message }, 'a settlement could not be sent')
    else this.#options.log.warn({ said: `${name}: ${message}` }, 'a settlement is looked for again later')
    return { status: 'unknown', txHash }
  }
}

function keyOf({ asset, authorization, signature }: SignedPayment): string {
  return `${asset} ${authorization.from} ${authorization.nonce} ${signature}`.toLowerCase()
}

function refused(reason: string): ChainCheck {
  return { ok: false, reason }
}

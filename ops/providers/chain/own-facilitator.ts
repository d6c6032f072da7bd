import { type Hex, hashMessage, toHex } from 'viem'
import type {
  AuthorizationTrace,
  ChainCheck,
  ChainConnection,
  Facilitator,
  PaymentNetwork,
  SenderQueue,
  Settlement,
  SignedDigest,
  SignedMessage,
  SignedPayment,
} from './contract.ts'
import { computeDigest, computeDomains } from './digest.ts'
import { HotWallet, type SentTransaction, type SettlementTiming, TransactionNotSent } from './hot-wallet.ts'
import { KeyCheckPool } from './key-checks.ts'
import { ChainReader, hasTransferred } from './reader.ts'
import { REASONS } from './reasons.ts'
import { type Deployment, unwrapSignature } from './signature.ts'
import { findFault } from './terms.ts'
import { encodeTransfer } from './token.ts'

interface OwnFacilitatorOptions extends ChainConnection {
  settlerKey: Hex
  factories: readonly string[]
  queue: SenderQueue
  /** By which authorizations begin and end. */
  clock: { now(): number }
  log: { warn(facts: object, text: string): void; error(facts: object, text: string): void }
  timing?: Partial<SettlementTiming>
}

const DEFAULT_TIMING: SettlementTiming = { receiptMs: 25_000, stuckMs: 8_000, pollMs: 250 }
/** How long an authorization must still be valid to be mined in time. */
const MIN_VALIDITY_SECONDS = 6
/** How long after its end an authorization may still turn out to have been mined. */
const EXPIRY_GRACE_SECONDS = 30
const CHECK_TTL_MS = 3_000
const MAX_CACHED_CHECKS = 5_000

/** Verifies and settles payments with our own wallet, without a third party. */
export class OwnFacilitator implements Facilitator {
  readonly #options: OwnFacilitatorOptions
  readonly #reader: ChainReader
  readonly #wallet: HotWallet
  readonly #keyChecks = new KeyCheckPool()
  readonly #domains: ReadonlyMap<string, Uint8Array>
  readonly #factories: ReadonlySet<string>
  readonly #checks = new Map<string, { at: number; check: ChainCheck }>()
  readonly #settling = new Map<string, Promise<Settlement>>()
  readonly #sent = new Map<string, SentTransaction>()

  constructor(options: OwnFacilitatorOptions) {
    const { network, rpcUrl, settlerKey, queue } = options
    this.#options = options
    this.#reader = new ChainReader(network, rpcUrl)
    const timing = { ...DEFAULT_TIMING, ...options.timing }
    this.#wallet = new HotWallet(settlerKey, network.chainId, this.#reader, queue, timing)
    this.#domains = computeDomains(network)
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
    return domain !== undefined && this.#isSigned(authorization.from, computeDigest(domain, authorization), signature)
  }

  verifyMessage({ address, message, signature }: SignedMessage): Promise<boolean> {
    return this.#isSigned(address, hashMessage(message, 'bytes'), signature)
  }

  verifyDigest({ address, digest, signature }: SignedDigest): Promise<boolean> {
    return this.#isSigned(address, digest, signature)
  }

  async checkOnChain(payment: SignedPayment): Promise<ChainCheck> {
    const key = paymentKey(payment)
    const known = this.#checks.get(key)
    if (known && Date.now() - known.at < CHECK_TTL_MS) return known.check
    const check = await this.#check(payment)
    if (this.#checks.size >= MAX_CACHED_CHECKS) this.#checks.clear()
    this.#checks.set(key, { at: Date.now(), check })
    return check
  }

  find(payment: SignedPayment): Promise<AuthorizationTrace> {
    return this.#reader.traceAuthorization(payment)
  }

  /** May be repeated for the same payment, also after `unknown`: it looks on the chain before it sends. */
  settle(payment: SignedPayment): Promise<Settlement> {
    const key = paymentKey(payment)
    const running = this.#settling.get(key)
    if (running) return running
    const settlement = this.#settle(payment, key)
      .catch(error => this.#reportUnknown(key, error))
      .finally(() => this.#settling.delete(key))
    this.#settling.set(key, settlement)
    return settlement
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#settling.values())
    await this.#keyChecks.close()
    await this.#options.queue.close()
  }

  /** Checks plain accounts by their key and accounts with code by their own check, as the token does. */
  async #isSigned(signer: string, digest: Uint8Array, signature: string): Promise<boolean> {
    const { inner, deployment } = unwrapSignature(signature)
    if (await this.#reader.hasCode(signer)) return this.#reader.isSignedByWallet(signer, toHex(digest), inner)
    if (!deployment) return this.#keyChecks.isSigned({ address: signer, digest, signature: inner })
    return (
      this.#mayDeploy(deployment) && this.#reader.isSignedByUndeployedWallet(signer, toHex(digest), signature as Hex)
    )
  }

  #mayDeploy({ factory }: Deployment): boolean {
    return this.#factories.has(factory.toLowerCase())
  }

  async #check(payment: SignedPayment): Promise<ChainCheck> {
    const { from, value } = payment.authorization
    const [isContract, { isUsed, balance }] = await Promise.all([
      this.#reader.hasCode(from),
      this.#reader.readPayerState(payment),
    ])
    if (isUsed) return refuse(REASONS.nonceUsed)
    if (balance < value) return refuse(REASONS.balance)
    const { deployment } = unwrapSignature(payment.signature)
    if (deployment && !isContract) return this.#mayDeploy(deployment) ? { ok: true } : refuse(REASONS.factory)
    const refusal = await this.#reader.simulateCall(encodeTransfer(payment, isContract))
    return refusal ? refuse(refusal) : { ok: true }
  }

  async #settle(payment: SignedPayment, key: string): Promise<Settlement> {
    const { state, txHash } = await this.#reader.traceAuthorization(payment)
    if (state === 'used' && txHash) return this.#finish(key, { status: 'settled', txHash })
    if (state !== 'unused') return this.#finish(key, { status: 'failed', reason: REASONS.nonceUsed })
    const alreadySent = this.#sent.get(key)
    if (alreadySent) return this.#awaitOutcome(payment, key, alreadySent)
    const fault = this.#findFault(payment, MIN_VALIDITY_SECONDS)
    // Too late to send it, and too early to know whether it was sent before.
    if (fault === REASONS.validBefore && !this.#findFault(payment, -EXPIRY_GRACE_SECONDS)) return { status: 'unknown' }
    if (fault) return { status: 'failed', reason: fault }
    const deploymentFault = await this.#deployWallet(payment)
    if (deploymentFault) return { status: 'failed', reason: deploymentFault }
    const check = await this.#check(payment)
    if (!check.ok) return { status: 'failed', reason: check.reason }
    const isContract = await this.#reader.hasCode(payment.authorization.from)
    const sent = await this.#wallet.send(encodeTransfer(payment, isContract))
    this.#sent.set(key, sent)
    return this.#awaitOutcome(payment, key, sent)
  }

  #findFault(payment: SignedPayment, minValiditySeconds: number): string | undefined {
    return findFault(payment, this.network(), {
      nowSeconds: Math.floor(this.#options.clock.now() / 1000),
      minValiditySeconds,
    })
  }

  async #awaitOutcome(payment: SignedPayment, key: string, sent: SentTransaction): Promise<Settlement> {
    const receipt = await this.#wallet.waitForReceipt(sent)
    if (receipt?.status === 'success' && hasTransferred(receipt, payment)) {
      return this.#finish(key, { status: 'settled', txHash: receipt.transactionHash })
    }
    // No receipt, or a reverted one: a third party may have broadcast the same authorization first.
    const { state, txHash } = await this.#reader.traceAuthorization(payment)
    if (state === 'used' && txHash) return this.#finish(key, { status: 'settled', txHash })
    if (state === 'cancelled') return this.#finish(key, { status: 'failed', reason: REASONS.nonceUsed })
    if (receipt?.status === 'success') return this.#finish(key, { status: 'failed', reason: REASONS.event })
    if (receipt) return this.#finish(key, { status: 'failed', reason: REASONS.transaction })
    if (await this.#wallet.isSuperseded(sent)) this.#sent.delete(key)
    return { status: 'unknown', txHash: sent.hashes.at(-1) }
  }

  /** Deploys the payer's wallet if it does not exist yet. Gives the reason if that fails. */
  async #deployWallet(payment: SignedPayment): Promise<string | undefined> {
    const { from } = payment.authorization
    const { deployment } = unwrapSignature(payment.signature)
    if (!deployment || (await this.#reader.hasCode(from, true))) return undefined
    if (!this.#mayDeploy(deployment)) return REASONS.factory
    const { isUsed, balance } = await this.#reader.readPayerState(payment)
    if (isUsed || balance < payment.authorization.value) return isUsed ? REASONS.nonceUsed : REASONS.balance
    const call = { to: deployment.factory, data: deployment.data }
    if (await this.#reader.simulateCall(call)) return REASONS.deployment
    const receipt = await this.#wallet.waitForReceipt(await this.#wallet.send(call))
    if (!receipt) throw new TransactionNotSent('the wallet is still being deployed')
    return (await this.#reader.hasCode(from, true)) ? undefined : REASONS.deployment
  }

  #finish(key: string, settlement: Settlement): Settlement {
    this.#sent.delete(key)
    return settlement
  }

  /** A failure on our side never counts against the payer. */
  #reportUnknown(key: string, error: unknown): Settlement {
    const txHash = this.#sent.get(key)?.hashes.at(-1)
    const { name, message } = error as Error
    if (error instanceof TransactionNotSent)
      this.#options.log.error({ error: message }, 'a settlement could not be sent')
    else
      this.#options.log.warn(
        { error: `${name}: ${message}` },
        'the outcome of a settlement is unknown; it is looked up later',
      )
    return { status: 'unknown', txHash }
  }
}

function paymentKey({ asset, authorization, signature }: SignedPayment): string {
  return `${asset} ${authorization.from} ${authorization.nonce} ${signature}`.toLowerCase()
}

function refuse(reason: string): ChainCheck {
  return { ok: false, reason }
}

import { type Hex, hashMessage, toHex } from 'viem'
import {
  type ChainCheck,
  type Facilitator,
  type PaymentNetwork,
  Problem,
  type Settlement,
  type SignedPayment,
} from '#kit'
import { digestOf, domainsOf } from './digest.ts'
import { KeyChecks } from './key-checks.ts'
import { ChainReader } from './reader.ts'
import { REASONS } from './reasons.ts'

export interface RemoteOptions {
  network: PaymentNetwork
  rpcUrl: string
  url: string
  token?: string
  log: { warn(facts: object, text: string): void }
  timeouts?: Partial<Timeouts>
}

interface Timeouts {
  verifyMs: number
  settleMs: number
}

interface Answer {
  isValid?: boolean
  invalidReason?: string
  success?: boolean
  errorReason?: string
  transaction?: string
}

/** A facilitator waits for a receipt, and so do we. */
const TIMEOUTS: Timeouts = { verifyMs: 10_000, settleMs: 60_000 }
const LONGEST_ANSWER = 65_536
/** Refusals that say nothing of the payment. */
const UNDECIDED = /^(unexpected_|settlement_pending|invalid_transaction_state)/
const TRANSACTION = /^0x[0-9a-fA-F]{64}$/

/** Somebody else's facilitator. What it leaves open is looked up on the chain itself. */
export class RemoteFacilitator implements Facilitator {
  readonly #options: RemoteOptions
  readonly #timeouts: Timeouts
  readonly #reader: ChainReader
  readonly #keyChecks = new KeyChecks()
  readonly #domains: ReadonlyMap<string, Uint8Array>

  constructor(options: RemoteOptions) {
    this.#options = options
    this.#timeouts = { ...TIMEOUTS, ...options.timeouts }
    this.#reader = new ChainReader(options.network, options.rpcUrl)
    this.#domains = domainsOf(options.network)
  }

  network(): PaymentNetwork {
    return this.#options.network
  }

  signers(): readonly string[] {
    return []
  }

  close(): Promise<void> {
    return this.#keyChecks.close()
  }

  /** Keys are checked here; of contract wallets the facilitator is asked. */
  async verifySignature(payment: SignedPayment): Promise<boolean> {
    const { asset, authorization, signature } = payment
    const domain = this.#domains.get(asset.toLowerCase())
    if (!domain) return false
    const { from: address } = authorization
    const digest = digestOf(domain, authorization)
    if (await this.#keyChecks.isSigned({ address, digest, signature })) return true
    if (signature.length === PLAIN_LENGTH && !(await this.#reader.hasCode(authorization.from))) return false
    return (await this.#verify(payment)).ok
  }

  async verifyMessage({ address, message, signature }: SignedText): Promise<boolean> {
    const digest = hashMessage(message, 'bytes')
    if (await this.#keyChecks.isSigned({ address, digest, signature })) return true
    return (await this.#reader.hasCode(address)) && this.#reader.walletSigned(address, toHex(digest), signature as Hex)
  }

  checkOnChain(payment: SignedPayment): Promise<ChainCheck> {
    return this.#verify(payment)
  }

  /** May be called again for the same payment, also after an `unknown`: a nonce that is spent is looked up. */
  async settle(payment: SignedPayment): Promise<Settlement> {
    const answer = await this.#ask('settle', payment, this.#timeouts.settleMs).catch(() => undefined)
    const { transaction = '', errorReason = 'unexpected_settle_error' } = answer ?? {}
    const txHash = TRANSACTION.test(transaction) ? transaction : undefined
    if (answer?.success && txHash) return { status: 'settled', txHash }
    const isUndecided = !answer || answer.success || UNDECIDED.test(errorReason)
    if (!isUndecided && errorReason !== REASONS.nonceUsed) return this.#refused(payment, errorReason)
    return (await this.#look(payment)) ?? { status: 'unknown', txHash }
  }

  async find(payment: SignedPayment): Promise<'used' | 'unused' | 'cancelled'> {
    return (await this.#reader.look(payment)).state
  }

  /** An earlier try whose answer was lost may have settled it, and the payer's money is then gone for another reason. */
  async #refused(payment: SignedPayment, reason: string): Promise<Settlement> {
    return (await this.#look(payment)) ?? { status: 'failed', reason }
  }

  /** What the chain says for certain. */
  async #look(payment: SignedPayment): Promise<Settlement | undefined> {
    const trace = await this.#reader.look(payment).catch(() => undefined)
    if (trace?.state === 'cancelled') return { status: 'failed', reason: REASONS.nonceUsed }
    return trace?.txHash ? { status: 'settled', txHash: trace.txHash } : undefined
  }

  async #verify(payment: SignedPayment): Promise<ChainCheck> {
    const answer = await this.#ask('verify', payment, this.#timeouts.verifyMs)
    if (answer.isValid === undefined) throw new Problem('PROVIDER_UNAVAILABLE', { capability: 'x402' })
    return answer.isValid ? { ok: true } : { ok: false, reason: answer.invalidReason ?? 'unexpected_verify_error' }
  }

  async #ask(verb: 'verify' | 'settle', payment: SignedPayment, timeoutMs: number): Promise<Answer> {
    const { url, token, log } = this.#options
    try {
      const reply = await fetch(`${url.replace(/\/+$/, '')}/${verb}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
        body: JSON.stringify(requestOf(payment, this.network())),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await reply.text()
      const answer = text.length <= LONGEST_ANSWER ? (JSON.parse(text) as Answer | null) : null
      if (answer?.isValid === undefined && answer?.success === undefined) throw new Error(`status ${reply.status}`)
      return answer
    } catch (error) {
      log.warn({ verb, said: (error as Error).message }, 'the facilitator does not answer')
      throw new Problem('PROVIDER_UNAVAILABLE', { capability: 'x402' })
    }
  }
}

type SignedText = Parameters<Facilitator['verifyMessage']>[0]

const PLAIN_LENGTH = 132

/** Always in version 2 of the protocol: what is signed is the same in both, and facilitators settle both. */
function requestOf({ asset, authorization, signature }: SignedPayment, network: PaymentNetwork): object {
  const token = network.assets.find(({ address }) => address.toLowerCase() === asset.toLowerCase())!
  const { value, validAfter, validBefore } = authorization
  const paymentRequirements = {
    scheme: 'exact',
    network: network.caip2,
    amount: String(value),
    asset: token.address,
    payTo: network.payTo,
    maxTimeoutSeconds: 300,
    extra: { name: token.domainName, version: token.domainVersion, assetTransferMethod: 'eip3009' },
  }
  const numbers = { value: String(value), validAfter: String(validAfter), validBefore: String(validBefore) }
  const payload = { authorization: { ...authorization, ...numbers }, signature }
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, payload, accepted: paymentRequirements },
    paymentRequirements,
  }
}

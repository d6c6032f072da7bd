import { type Hex, hashMessage, toHex } from 'viem'
import { Problem } from '#kit'
import type {
  AuthorizationTrace,
  ChainCheck,
  ChainConnection,
  Facilitator,
  PaymentNetwork,
  Settlement,
  SignedDigest,
  SignedMessage,
  SignedPayment,
} from './contract.ts'
import { computeDigest, computeDomains } from './digest.ts'
import { KeyCheckPool } from './key-checks.ts'
import { ChainReader } from './reader.ts'
import { REASONS } from './reasons.ts'

interface RemoteFacilitatorOptions extends ChainConnection {
  url: string
  token?: string
  log: { warn(facts: object, text: string): void }
  timeouts?: Partial<Timeouts>
}

interface Timeouts {
  verifyMs: number
  settleMs: number
}

interface FacilitatorAnswer {
  isValid?: boolean
  invalidReason?: string
  success?: boolean
  errorReason?: string
  transaction?: string
}

/** Settling takes long because the facilitator waits for the receipt. */
const DEFAULT_TIMEOUTS: Timeouts = { verifyMs: 10_000, settleMs: 60_000 }
const MAX_ANSWER_CHARS = 65_536
/** Refusals that do not tell whether the payment is valid or settled. */
const INCONCLUSIVE = /^(unexpected_|settlement_pending|invalid_transaction_state)/
const TRANSACTION_HASH = /^0x[0-9a-fA-F]{64}$/

/** Uses a facilitator of a third party. What its answer leaves open is looked up on the chain. */
export class RemoteFacilitator implements Facilitator {
  readonly #options: RemoteFacilitatorOptions
  readonly #timeouts: Timeouts
  readonly #reader: ChainReader
  readonly #keyChecks = new KeyCheckPool()
  readonly #domains: ReadonlyMap<string, Uint8Array>

  constructor(options: RemoteFacilitatorOptions) {
    this.#options = options
    this.#timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts }
    this.#reader = new ChainReader(options.network, options.rpcUrl)
    this.#domains = computeDomains(options.network)
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

  /** Signatures by a key are checked here; the facilitator checks those of contract wallets. */
  async verifySignature(payment: SignedPayment): Promise<boolean> {
    const { asset, authorization, signature } = payment
    const domain = this.#domains.get(asset.toLowerCase())
    if (!domain) return false
    const { from: address } = authorization
    const digest = computeDigest(domain, authorization)
    if (await this.#keyChecks.isSigned({ address, digest, signature })) return true
    if (signature.length === KEY_SIGNATURE_LENGTH && !(await this.#reader.hasCode(authorization.from))) return false
    return (await this.#verify(payment)).ok
  }

  verifyMessage({ address, message, signature }: SignedMessage): Promise<boolean> {
    return this.verifyDigest({ address, digest: hashMessage(message, 'bytes'), signature })
  }

  async verifyDigest({ address, digest, signature }: SignedDigest): Promise<boolean> {
    if (await this.#keyChecks.isSigned({ address, digest, signature })) return true
    return (
      (await this.#reader.hasCode(address)) && this.#reader.isSignedByWallet(address, toHex(digest), signature as Hex)
    )
  }

  checkOnChain(payment: SignedPayment): Promise<ChainCheck> {
    return this.#verify(payment)
  }

  /** May be repeated for the same payment, also after `unknown`: a spent nonce is looked up on the chain. */
  async settle(payment: SignedPayment): Promise<Settlement> {
    const answer = await this.#request('settle', payment, this.#timeouts.settleMs).catch(() => undefined)
    const { transaction = '', errorReason = 'unexpected_settle_error' } = answer ?? {}
    const txHash = TRANSACTION_HASH.test(transaction) ? transaction : undefined
    if (answer?.success && txHash) return { status: 'settled', txHash }
    const isUndecided = !answer || answer.success || INCONCLUSIVE.test(errorReason)
    if (!isUndecided && errorReason !== REASONS.nonceUsed) return this.#confirmRefusal(payment, errorReason)
    return (await this.#findOnChain(payment)) ?? { status: 'unknown', txHash }
  }

  find(payment: SignedPayment): Promise<AuthorizationTrace> {
    return this.#reader.traceAuthorization(payment)
  }

  /** An earlier attempt whose answer was lost may have settled the payment, so the chain is asked before a refusal. */
  async #confirmRefusal(payment: SignedPayment, reason: string): Promise<Settlement> {
    return (await this.#findOnChain(payment)) ?? { status: 'failed', reason }
  }

  /** The settlement, if the chain shows a definite one. */
  async #findOnChain(payment: SignedPayment): Promise<Settlement | undefined> {
    const trace = await this.#reader.traceAuthorization(payment).catch(() => undefined)
    if (trace?.state === 'cancelled') return { status: 'failed', reason: REASONS.nonceUsed }
    return trace?.txHash ? { status: 'settled', txHash: trace.txHash } : undefined
  }

  async #verify(payment: SignedPayment): Promise<ChainCheck> {
    const answer = await this.#request('verify', payment, this.#timeouts.verifyMs)
    if (answer.isValid === undefined) throw new Problem('PROVIDER_UNAVAILABLE', { capability: 'x402' })
    return answer.isValid ? { ok: true } : { ok: false, reason: answer.invalidReason ?? 'unexpected_verify_error' }
  }

  async #request(verb: 'verify' | 'settle', payment: SignedPayment, timeoutMs: number): Promise<FacilitatorAnswer> {
    const { url, token, log } = this.#options
    try {
      const reply = await fetch(`${url.replace(/\/+$/, '')}/${verb}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
        body: JSON.stringify(buildFacilitatorBody(payment, this.network())),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await reply.text()
      const answer = text.length <= MAX_ANSWER_CHARS ? (JSON.parse(text) as FacilitatorAnswer | null) : null
      if (answer?.isValid === undefined && answer?.success === undefined) throw new Error(`status ${reply.status}`)
      return answer
    } catch (error) {
      log.warn({ verb, error: (error as Error).message }, 'the facilitator does not answer')
      throw new Problem('PROVIDER_UNAVAILABLE', { capability: 'x402' })
    }
  }
}

/** Characters of a signature by a key: `0x` and 65 bytes. */
const KEY_SIGNATURE_LENGTH = 132

/** Always uses version 2 of the protocol: the signed data is the same in both versions. */
function buildFacilitatorBody({ asset, authorization, signature }: SignedPayment, network: PaymentNetwork): object {
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

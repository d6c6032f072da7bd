import type { Db } from '../../../sql/db.ts'
import type { Settings } from '../../../sql/setting.ts'
import { nameKey } from '../../../tasks/products/receipt/did.ts'
import { type SigningKey, signJws } from '../../../tasks/products/witness/index.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import { openSigningKey } from '../witness/index.ts'

/** The version of the payloads. */
const VERSION = 1
/** An offer that is given out holds at least as long as a client may take to pay it. */
const KEPT_MS = 300_000
const VALID_SECONDS = 600
/** Callers choose addresses, so the number of offers that are kept is limited. */
const MAX_KEPT = 2_000

const OFFERS_SCHEMA = describeInfo('offers', { type: 'array', items: { type: 'object' } })
const RECEIPT_SCHEMA = describeInfo('receipt', { type: 'object' })

interface Context {
  db: Db
  config: Pick<Config, 'secret' | 'publicUrl'>
  log: Logger
  settings: Pick<Settings, 'get'>
}

interface Terms {
  scheme: string
  network: string
  asset: string
  payTo: string
  amount: string
}

/** Signs offers and receipts by the key that signs witnesses. It is kept, because a 402 waits for nothing. */
export class PaymentProofs {
  readonly #context: Context
  readonly #offers = new Map<string, { extension: object; untilMs: number }>()
  #key: SigningKey | undefined
  #isOpen = false

  constructor(context: Context) {
    this.#context = context
  }

  /** Opens the key, and again after it was replaced. Without it nothing is signed. */
  async refresh(): Promise<void> {
    const { db, config, log } = this.#context
    this.#isOpen = true
    try {
      this.#key = await openSigningKey(db, config.secret)
    } catch (error) {
      this.#key = undefined
      log.warn({ err: error }, 'offers of x402 are not signed: the key cannot be opened')
    }
    this.#offers.clear()
  }

  /** Whether payments are taken here, so that the key is needed. */
  isOpen(): boolean {
    return this.#isOpen
  }

  /** The same offer is signed once and given out for a while. */
  signOffers(resourceUrl: string, terms: readonly Terms[]): object | undefined {
    if (!this.#isEnabled()) return undefined
    const name = `${resourceUrl} ${terms[0]?.amount}`
    const kept = this.#offers.get(name)
    if (kept && kept.untilMs > performance.now()) return kept.extension
    const validUntil = Math.floor(Date.now() / 1_000) + VALID_SECONDS
    const offers = terms.map(({ scheme, network, asset, payTo, amount }, acceptIndex) => {
      const payload = { version: VERSION, resourceUrl, scheme, network, asset, payTo, amount, validUntil }
      return { format: 'jws', acceptIndex, signature: this.#sign(payload) }
    })
    const extension = { 'offer-receipt': { info: { offers }, schema: OFFERS_SCHEMA } }
    if (this.#offers.size >= MAX_KEPT) this.#offers.clear()
    this.#offers.set(name, { extension, untilMs: performance.now() + KEPT_MS })
    return extension
  }

  /** It does not name the transaction: who is shown it need not learn what else the wallet does. */
  signReceipt(resourceUrl: string, { network, payer }: { network: string; payer: string }): object | undefined {
    if (!this.#isEnabled()) return undefined
    const issuedAt = Math.floor(Date.now() / 1_000)
    const payload = { version: VERSION, network, resourceUrl, payer, issuedAt }
    const receipt = { format: 'jws', signature: this.#sign(payload) }
    return { 'offer-receipt': { info: { receipt }, schema: RECEIPT_SCHEMA } }
  }

  #isEnabled(): boolean {
    return this.#key !== undefined && this.#context.settings.get('receipt.x402_enabled')
  }

  #sign(payload: object): string {
    const key = this.#key!
    return signJws({ kid: nameKey(this.#context.config.publicUrl, key) }, payload, key.privateKey)
  }
}

function describeInfo(name: string, schema: object): object {
  return { type: 'object', properties: { [name]: schema }, required: [name] }
}

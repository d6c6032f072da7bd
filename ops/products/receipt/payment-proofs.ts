import type { Db } from '../../../sql/db.ts'
import type { Settings } from '../../../sql/setting.ts'
import { nameKey } from '../../../tasks/products/receipt/did.ts'
import { type SigningKey, signJws } from '../../../tasks/products/witness/index.ts'
import { createRefresh } from '../../back-off.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import { openSigningKey } from '../witness/index.ts'

/** The version of the payloads. */
const VERSION = 1
/** An offer that is given out holds at least as long as a client may take to pay it. */
const KEPT_SECONDS = 300
const VALID_SECONDS = 600
/** Callers choose addresses, so the number of what is kept is limited. */
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
  readonly #offers = new Signed()
  readonly #receipts = new Signed()
  #signer: { kid: string; privateKey: SigningKey['privateKey'] } | undefined
  #isOpen = false

  constructor(context: Context) {
    this.#context = context
  }

  /** Opens the key, and again after it was replaced. Without it nothing is signed. */
  readonly refresh = createRefresh(
    () => this.#open(),
    error => this.#context.log.warn({ err: error }, 'offers of x402 are not signed: the key cannot be opened'),
  )

  /** Whether payments are taken here, so that the key is needed. */
  isOpen(): boolean {
    return this.#isOpen
  }

  /** The same offer is signed once and given out for a while. */
  signOffers(resourceUrl: string, terms: readonly Terms[]): object | undefined {
    if (!this.#isEnabled()) return undefined
    return this.#offers.get(`${resourceUrl} ${terms[0]?.amount}`, KEPT_SECONDS, now => {
      const validUntil = now + VALID_SECONDS
      const offers = terms.map(({ scheme, network, asset, payTo, amount }, acceptIndex) => {
        const payload = { version: VERSION, resourceUrl, scheme, network, asset, payTo, amount, validUntil }
        return { format: 'jws', acceptIndex, signature: this.#sign(payload) }
      })
      return { 'offer-receipt': { info: { offers }, schema: OFFERS_SCHEMA } }
    })
  }

  /** It does not name the transaction: who is shown it need not learn what else the wallet does. */
  signReceipt(resourceUrl: string, { network, payer }: { network: string; payer: string }): object | undefined {
    if (!this.#isEnabled()) return undefined
    // Receipts of one second for calls of one wallet are the same.
    return this.#receipts.get(`${resourceUrl} ${payer}`, 1, issuedAt => {
      const signature = this.#sign({ version: VERSION, network, resourceUrl, payer, issuedAt })
      return { 'offer-receipt': { info: { receipt: { format: 'jws', signature } }, schema: RECEIPT_SCHEMA } }
    })
  }

  async #open(): Promise<void> {
    const { db, config } = this.#context
    this.#isOpen = true
    this.#signer = undefined
    this.#offers.clear()
    this.#receipts.clear()
    const key = await openSigningKey(db, config.secret)
    this.#signer = { kid: nameKey(config.publicUrl, key), privateKey: key.privateKey }
  }

  #isEnabled(): boolean {
    return this.#signer !== undefined && this.#context.settings.get('receipt.x402_enabled')
  }

  #sign(payload: object): string {
    const { kid, privateKey } = this.#signer!
    return signJws({ kid }, payload, privateKey)
  }
}

function describeInfo(name: string, schema: object): object {
  return { type: 'object', properties: { [name]: schema }, required: [name] }
}

/** What was signed lately, because a signature takes a tenth of a millisecond. */
class Signed {
  readonly #kept = new Map<string, { extension: object; until: number }>()

  get(name: string, seconds: number, sign: (now: number) => object): object {
    const now = Math.floor(Date.now() / 1_000)
    const found = this.#kept.get(name)
    if (found && found.until > now) return found.extension
    const extension = sign(now)
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
    this.#kept.set(name, { extension, until: now + seconds })
    return extension
  }

  clear(): void {
    this.#kept.clear()
  }
}

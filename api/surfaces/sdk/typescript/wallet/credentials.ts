import type { ClientCall } from '../../calls.ts'
import type { CoinopError } from '../errors.ts'
import type { ClientOptions, WalletAccount } from '../types.ts'
import { openWallet } from './account.ts'
import { type PaymentLimits, payOffer } from './payment.ts'
import { type Ask, signIn } from './sign-in.ts'

/** A token is renewed so much before it ends. */
const RENEW_MS = 60_000

/** A key that was read from a file ends with a line break, which no header can carry. */
function readKey(key: string): string {
  const trimmed = key.trim()
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed
  throw new TypeError('key is no API key: it is empty, or has characters that keys do not have')
}

/** How a client is known to the service: by its key, or by its wallet, which pays each call or signs in for free ones. */
export class Credentials {
  readonly #key: string | undefined
  readonly #wallet: WalletAccount | undefined
  readonly #limits: PaymentLimits
  readonly #baseUrl: string
  #token: { text: Promise<string>; endsAtMs: number } | undefined

  constructor(
    { key, wallet, maxPaymentUsd = 1, assets = [] }: ClientOptions,
    known: readonly string[],
    baseUrl: string,
  ) {
    this.#key = key === undefined ? undefined : readKey(key)
    this.#wallet = typeof wallet === 'string' ? openWallet(wallet) : wallet
    this.#baseUrl = baseUrl
    this.#limits = {
      maxMicros: BigInt(Math.round(maxPaymentUsd * 1_000_000)),
      assets: new Set([...known, ...assets].map(address => address.toLowerCase())),
    }
  }

  /** The headers that say who calls, before the service asks for more. */
  async authorize(auth: ClientCall['auth'], isPaid: boolean, ask: Ask): Promise<Record<string, string>> {
    if (this.#key !== undefined) return { authorization: `Bearer ${this.#key}` }
    const mustSignIn = auth.includes('wallet') && !(isPaid && auth.includes('x402')) && !auth.includes('none')
    return this.#wallet && mustSignIn ? this.#signIn(this.#wallet, ask) : {}
  }

  /** What answers a request for payment, or for an account. */
  async respond(error: CoinopError, headers: Headers, ask: Ask): Promise<Record<string, string> | undefined> {
    if (!this.#wallet || this.#key !== undefined) return undefined
    const offer = headers.get('payment-required')
    if (error.status === 402 && offer !== null)
      return { 'payment-signature': await payOffer(offer, this.#wallet, this.#limits) }
    if (error.status !== 401 || error.code === 'INVALID_PAYMENT_SIGNATURE') return undefined
    this.#token = undefined
    return this.#signIn(this.#wallet, ask)
  }

  async #signIn(wallet: WalletAccount, ask: Ask): Promise<Record<string, string>> {
    if (!this.#token || this.#token.endsAtMs < Date.now()) {
      const opened = { text: Promise.resolve(''), endsAtMs: Number.POSITIVE_INFINITY }
      opened.text = signIn(ask, wallet, this.#baseUrl).then(({ token, expiresIn }) => {
        opened.endsAtMs = Date.now() + expiresIn * 1_000 - RENEW_MS
        return token
      })
      this.#token = opened
    }
    const { text } = this.#token
    return text.then(
      token => ({ authorization: `Bearer ${token}` }),
      (error: unknown) => {
        this.#token = undefined
        throw error
      },
    )
  }
}

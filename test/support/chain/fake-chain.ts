import { createHash, randomBytes } from 'node:crypto'
import type { Authorization, AuthorizationTrace, Facilitator, PaymentNetwork, Settlement, SignedPayment } from '#kit'

export const FAKE_NETWORK: PaymentNetwork = {
  caip2: 'eip155:84532',
  v1Name: 'base-sepolia',
  chainId: 84532,
  assets: [
    { symbol: 'USDC', address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', domainName: 'USDC', domainVersion: '2' },
    { symbol: 'EURC', address: '0x808456652fdb597867f38412077A9182bf77359F', domainName: 'EURC', domainVersion: '2' },
  ],
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
}
const [USDC] = FAKE_NETWORK.assets

/** A wallet whose signature is only a hash; enough for tests that are not about signatures. */
export interface FakeWallet {
  address: string
  pay(value: bigint, overrides?: Partial<Authorization> & { asset?: string; version?: 1 | 2 }): string
  signText(message: string): string
}

/** Replaces a chain: it has balances and used nonces, and its settlements can be made to fail or to hang. */
export class FakeChain implements Facilitator {
  readonly balances = new Map<string, bigint>()
  readonly usedNonces = new Set<string>()
  readonly broadcast: SignedPayment[] = []
  /** The transaction of each settled authorization; a repeated settlement finds it and sends nothing. */
  readonly transactions = new Map<string, string>()
  /** The outcomes of the next settlements, in order; later ones succeed. */
  readonly nextOutcomes: Settlement['status'][] = []
  delayMs = 0

  network(): PaymentNetwork {
    return FAKE_NETWORK
  }

  signers(): readonly string[] {
    return ['0x00000000000000000000000000000000000000Aa']
  }

  wallet(balance = 10_000_000n): FakeWallet {
    const address = `0x${randomBytes(20).toString('hex')}`
    this.balances.set(address, balance)
    return {
      address,
      pay: (value, { asset = USDC!.address, version = 2, ...overrides } = {}) => {
        const now = BigInt(Math.floor(Date.now() / 1_000))
        const authorization: Authorization = {
          from: address,
          to: FAKE_NETWORK.payTo,
          value,
          validAfter: 0n,
          validBefore: now + 300n,
          nonce: `0x${randomBytes(32).toString('hex')}`,
          ...overrides,
        }
        return encodeHeader(version, asset, authorization, fakeSignature(asset, authorization))
      },
      signText: message => `0x${createHash('sha512').update(`${address} ${message}`).digest('hex')}01`,
    }
  }

  async verifySignature({ asset, authorization, signature }: SignedPayment): Promise<boolean> {
    return signature === fakeSignature(asset, authorization)
  }

  async verifyMessage(signed: { address: string; message: string; signature: string }): Promise<boolean> {
    const text = `${signed.address.toLowerCase()} ${signed.message}`
    return signed.signature === `0x${createHash('sha512').update(text).digest('hex')}01`
  }

  async verifyDigest(signed: { address: string; digest: Uint8Array; signature: string }): Promise<boolean> {
    const text = `${signed.address.toLowerCase()} ${Buffer.from(signed.digest).toString('hex')}`
    return signed.signature === `0x${createHash('sha512').update(text).digest('hex')}01`
  }

  async checkOnChain({ authorization }: SignedPayment): Promise<{ ok: true } | { ok: false; reason: string }> {
    if (this.usedNonces.has(authorizationKey(authorization)))
      return { ok: false, reason: 'invalid_exact_evm_nonce_already_used' }
    const balance = this.balances.get(authorization.from.toLowerCase()) ?? 0n
    return balance >= authorization.value
      ? { ok: true }
      : { ok: false, reason: 'invalid_exact_evm_insufficient_balance' }
  }

  async settle(payment: SignedPayment): Promise<Settlement> {
    const found = this.transactions.get(authorizationKey(payment.authorization))
    if (found && this.nextOutcomes[0] !== 'unknown') return { status: 'settled', txHash: found }
    if (found) return { status: this.nextOutcomes.shift() as 'unknown', txHash: found }
    this.broadcast.push(payment)
    if (this.delayMs > 0) await new Promise(resolve => setTimeout(resolve, this.delayMs))
    const outcome = this.nextOutcomes.shift() ?? 'settled'
    if (outcome === 'failed') return { status: 'failed', reason: 'invalid_exact_evm_transaction_failed' }
    const checked = await this.checkOnChain(payment)
    if (!checked.ok) return { status: 'failed', reason: checked.reason }
    const { authorization } = payment
    const from = authorization.from.toLowerCase()
    this.balances.set(from, this.balances.get(from)! - authorization.value)
    const txHash = this.#recordTransaction(authorization)
    return outcome === 'unknown' ? { status: 'unknown', txHash } : { status: 'settled', txHash }
  }

  async find({ authorization }: SignedPayment): Promise<AuthorizationTrace> {
    const key = authorizationKey(authorization)
    if (!this.usedNonces.has(key)) return { state: 'unused' }
    const txHash = this.transactions.get(key)
    return txHash ? { state: 'used', txHash } : { state: 'cancelled' }
  }

  /** Broadcasts a payment without us, as its payer may do. Returns the transaction. */
  broadcastByPayer(header: string): string {
    const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
      payload: { authorization: Authorization }
    }
    const { from, value } = payload.authorization
    this.balances.set(from, this.balances.get(from)! - BigInt(value))
    return this.#recordTransaction(payload.authorization)
  }

  #recordTransaction(authorization: Authorization): string {
    const txHash = `0x${randomBytes(32).toString('hex')}`
    this.usedNonces.add(authorizationKey(authorization))
    this.transactions.set(authorizationKey(authorization), txHash)
    return txHash
  }
}

function authorizationKey({ from, nonce }: Authorization): string {
  return `${from.toLowerCase()} ${nonce}`
}

function fakeSignature(asset: string, { from, to, value, validAfter, validBefore, nonce }: Authorization): string {
  const text = [asset.toLowerCase(), from.toLowerCase(), to.toLowerCase(), value, validAfter, validBefore, nonce].join(
    ' ',
  )
  return `0x${createHash('sha512').update(text).digest('hex')}1b`
}

function encodeHeader(version: 1 | 2, asset: string, authorization: Authorization, signature: string): string {
  const { value, validAfter, validBefore, ...rest } = authorization
  const payload = {
    signature,
    authorization: { ...rest, value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` },
  }
  const { caip2, v1Name, payTo } = FAKE_NETWORK
  const terms = { scheme: 'exact', network: caip2, amount: `${value}`, asset, payTo, maxTimeoutSeconds: 300 }
  const message =
    version === 2
      ? { x402Version: 2, payload, accepted: terms }
      : { x402Version: 2, scheme: 'exact', network: v1Name, payload }
  return Buffer.from(JSON.stringify(message)).toString('base64')
}

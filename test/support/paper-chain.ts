import { createHash, randomBytes } from 'node:crypto'
import type { Authorization, Facilitator, PaymentNetwork, Settlement, SignedPayment } from '#kit'

export const PAPER_NETWORK: PaymentNetwork = {
  caip2: 'eip155:84532',
  v1Name: 'base-sepolia',
  chainId: 84532,
  assets: [
    { symbol: 'USDC', address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', domainName: 'USDC', domainVersion: '2' },
    { symbol: 'EURC', address: '0x808456652fdb597867f38412077A9182bf77359F', domainName: 'EURC', domainVersion: '2' },
  ],
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
}
const [USDC] = PAPER_NETWORK.assets

/** A wallet whose signature is a hash of what it signs: enough where the curve is not what is tested. */
export interface PaperWallet {
  address: string
  pay(value: bigint, more?: Partial<Authorization> & { asset?: string; version?: 1 | 2 }): string
  signText(message: string): string
}

/** In the place of a chain: balances, used nonces, and a settlement that can be made to fail or to hang. */
export class PaperChain implements Facilitator {
  readonly balances = new Map<string, bigint>()
  readonly used = new Set<string>()
  readonly broadcast: SignedPayment[] = []
  /** What was settled here, by which transaction: asked again, it is found and not sent again. */
  readonly transactions = new Map<string, string>()
  /** What the next settlements come to, in order; then they succeed. */
  readonly fates: Settlement['status'][] = []
  delayMs = 0

  network(): PaymentNetwork {
    return PAPER_NETWORK
  }

  signers(): readonly string[] {
    return ['0x00000000000000000000000000000000000000Aa']
  }

  wallet(balance = 10_000_000n): PaperWallet {
    const address = `0x${randomBytes(20).toString('hex')}`
    this.balances.set(address, balance)
    return {
      address,
      pay: (value, { asset = USDC!.address, version = 2, ...more } = {}) => {
        const now = BigInt(Math.floor(Date.now() / 1_000))
        const authorization: Authorization = {
          from: address,
          to: PAPER_NETWORK.payTo,
          value,
          validAfter: 0n,
          validBefore: now + 300n,
          nonce: `0x${randomBytes(32).toString('hex')}`,
          ...more,
        }
        return header(version, asset, authorization, signatureOf(asset, authorization))
      },
      signText: message => `0x${createHash('sha512').update(`${address} ${message}`).digest('hex')}01`,
    }
  }

  async verifySignature({ asset, authorization, signature }: SignedPayment): Promise<boolean> {
    return signature === signatureOf(asset, authorization)
  }

  async verifyMessage(signed: { address: string; message: string; signature: string }): Promise<boolean> {
    const text = `${signed.address.toLowerCase()} ${signed.message}`
    return signed.signature === `0x${createHash('sha512').update(text).digest('hex')}01`
  }

  async checkOnChain({ authorization }: SignedPayment): Promise<{ ok: true } | { ok: false; reason: string }> {
    if (this.used.has(nameOf(authorization))) return { ok: false, reason: 'invalid_exact_evm_nonce_already_used' }
    const balance = this.balances.get(authorization.from.toLowerCase()) ?? 0n
    return balance >= authorization.value
      ? { ok: true }
      : { ok: false, reason: 'invalid_exact_evm_insufficient_balance' }
  }

  async settle(payment: SignedPayment): Promise<Settlement> {
    const found = this.transactions.get(nameOf(payment.authorization))
    if (found && this.fates[0] !== 'unknown') return { status: 'settled', txHash: found }
    if (found) return { status: this.fates.shift() as 'unknown', txHash: found }
    this.broadcast.push(payment)
    if (this.delayMs > 0) await new Promise(resolve => setTimeout(resolve, this.delayMs))
    const fate = this.fates.shift() ?? 'settled'
    if (fate === 'failed') return { status: 'failed', reason: 'invalid_exact_evm_transaction_failed' }
    const checked = await this.checkOnChain(payment)
    if (!checked.ok) return { status: 'failed', reason: checked.reason }
    const { authorization } = payment
    const from = authorization.from.toLowerCase()
    this.balances.set(from, this.balances.get(from)! - authorization.value)
    this.used.add(nameOf(authorization))
    const txHash = `0x${randomBytes(32).toString('hex')}`
    this.transactions.set(nameOf(authorization), txHash)
    return fate === 'unknown' ? { status: 'unknown', txHash } : { status: 'settled', txHash }
  }

  async find({ authorization }: SignedPayment): Promise<'used' | 'unused' | 'cancelled'> {
    return this.used.has(nameOf(authorization)) ? 'used' : 'unused'
  }
}

function nameOf({ from, nonce }: Authorization): string {
  return `${from.toLowerCase()} ${nonce}`
}

function signatureOf(asset: string, { from, to, value, validAfter, validBefore, nonce }: Authorization): string {
  const text = [asset.toLowerCase(), from.toLowerCase(), to.toLowerCase(), value, validAfter, validBefore, nonce].join(
    ' ',
  )
  return `0x${createHash('sha512').update(text).digest('hex')}1b`
}

function header(version: 1 | 2, asset: string, authorization: Authorization, signature: string): string {
  const { value, validAfter, validBefore, ...rest } = authorization
  const payload = {
    signature,
    authorization: { ...rest, value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` },
  }
  const { caip2, v1Name, payTo } = PAPER_NETWORK
  const terms = { scheme: 'exact', network: caip2, amount: `${value}`, asset, payTo, maxTimeoutSeconds: 300 }
  const said =
    version === 2
      ? { x402Version: 2, payload, accepted: terms }
      : { x402Version: 2, scheme: 'exact', network: v1Name, payload }
  return Buffer.from(JSON.stringify(said)).toString('base64')
}

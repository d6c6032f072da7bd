import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, keccak256, type TransactionReceipt } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { SenderQueue } from './contract.ts'
import { type ChainReader, callProvider, describeError, isRpcRefusal } from './reader.ts'
import type { ContractCall } from './token.ts'

export interface SettlementTiming {
  /** How long to wait for a receipt. */
  receiptMs: number
  /** How long to wait before a transaction is sent again with a higher fee. */
  stuckMs: number
  pollMs: number
}

/** A broadcast transaction, with one hash for every fee it was sent with. */
export interface SentTransaction {
  call: ContractCall
  gas: bigint
  nonce: number
  hashes: Hex[]
  fees: Fees
  /** How often it was due for a higher fee while an earlier transaction was not mined yet. */
  waits: number
}

interface Fees {
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** Nothing was sent and a later attempt may succeed: the wallet has no gas left, or the provider refuses. */
export class TransactionNotSent extends Error {
  override readonly name = 'TransactionNotSent'
}

const MAX_NONCE_TRIES = 4
/** By then the sender of the stuck transaction has raised its fee, or is gone. */
const MAX_WAITS = 3
const ALREADY_KNOWN = /already known|already imported|known transaction/i
const NONCE_TAKEN = /nonce too low|replacement transaction underpriced|underpriced to replace|nonce .*already/i

/** The wallet that sends settlements, one transaction at a time. It finds lost ones and replaces stuck ones. */
export class HotWallet {
  readonly #account: PrivateKeyAccount
  readonly #reader: ChainReader
  readonly #queue: SenderQueue
  readonly #timing: SettlementTiming
  readonly #chainId: number

  constructor(key: Hex, chainId: number, reader: ChainReader, queue: SenderQueue, timing: SettlementTiming) {
    this.#account = privateKeyToAccount(key)
    this.#chainId = chainId
    this.#reader = reader
    this.#queue = queue
    this.#timing = timing
  }

  get address(): Hex {
    return this.#account.address
  }

  /** Signs and broadcasts while no other process does. It does not wait for the receipt. */
  async send(call: ContractCall): Promise<SentTransaction> {
    const { client } = this.#reader
    const account = this.address
    const [gas, fees] = await callProvider(
      Promise.all([client.estimateGas({ ...call, account }), client.estimateFeesPerGas()]),
    )
    const sent = { call, gas: (gas * 13n) / 10n, fees, waits: 0 }
    return this.#queue.runExclusively({ chainId: this.#chainId, address: account }, async queuedNonce => {
      let nonce = await callProvider(client.getTransactionCount({ address: account, blockTag: 'pending' }))
      if (queuedNonce !== undefined && queuedNonce > nonce) nonce = queuedNonce
      for (let tries = 0; ; tries++) {
        const outcome = await this.#broadcast({ ...sent, nonce })
        if (outcome !== 'taken') return { next: nonce + 1, result: { ...sent, nonce, hashes: [outcome] } }
        if (tries === MAX_NONCE_TRIES)
          throw new TransactionNotSent('the nonce of the next transaction cannot be determined')
        nonce += 1
      }
    })
  }

  /** The receipt, or undefined after the timeout or if another transaction replaced this one. */
  async waitForReceipt(sent: SentTransaction): Promise<TransactionReceipt | undefined> {
    const deadline = Date.now() + this.#timing.receiptMs
    let rebroadcastAt = Date.now() + this.#timing.stuckMs
    for (;;) {
      const receipt = await this.#fetchReceipt(sent)
      if (receipt) return receipt
      if (Date.now() >= deadline) return undefined
      if (Date.now() >= rebroadcastAt) {
        if ((await this.#rebroadcast(sent)) === 'superseded') return this.#fetchReceipt(sent)
        rebroadcastAt = Date.now() + this.#timing.stuckMs
      }
      await sleep(this.#timing.pollMs)
    }
  }

  /** Whether another transaction was mined with this nonce, so that this one never will be. */
  async isSuperseded({ nonce }: SentTransaction): Promise<boolean> {
    const { client } = this.#reader
    const next = await callProvider(client.getTransactionCount({ address: this.address, blockTag: 'latest' }))
    return next > nonce
  }

  /** An unavailable provider counts as no receipt yet. */
  async #fetchReceipt({ hashes }: SentTransaction): Promise<TransactionReceipt | undefined> {
    const receipts = hashes.map(hash => this.#reader.client.getTransactionReceipt({ hash }).catch(() => undefined))
    const found = (await Promise.all(receipts)).filter(receipt => receipt !== undefined)
    return found.find(({ status }) => status === 'success') ?? found[0]
  }

  /**
   * Sends a stuck transaction again with the same nonce and a higher fee. If an earlier transaction is the stuck one,
   * its own sender gets some time to do that; then this transaction takes its nonce.
   */
  async #rebroadcast(sent: SentTransaction): Promise<'superseded' | 'waiting'> {
    try {
      const { client } = this.#reader
      const [next, now] = await Promise.all([
        client.getTransactionCount({ address: this.address, blockTag: 'latest' }),
        client.estimateFeesPerGas(),
      ])
      if (next > sent.nonce) return 'superseded'
      if (next < sent.nonce && ++sent.waits < MAX_WAITS) return 'waiting'
      sent.fees = raiseFees(sent.fees, now)
      const hash = await this.#broadcast({ ...sent, nonce: next })
      if (hash !== 'taken') sent.hashes.push(hash)
    } catch {
      // The provider is unavailable or refuses; the next attempt follows soon.
    }
    return 'waiting'
  }

  async #broadcast({ call, gas, nonce, fees }: Omit<SentTransaction, 'hashes' | 'waits'>): Promise<Hex | 'taken'> {
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    const transaction = { ...call, gas, nonce, maxFeePerGas, maxPriorityFeePerGas, chainId: this.#chainId }
    const serializedTransaction = await this.#account.signTransaction({ ...transaction, type: 'eip1559' })
    const hash = keccak256(serializedTransaction)
    try {
      await this.#reader.client.sendRawTransaction({ serializedTransaction })
    } catch (error) {
      const message = describeError(error)
      if (ALREADY_KNOWN.test(message)) return hash
      if (NONCE_TAKEN.test(message)) return 'taken'
      if (isRpcRefusal(error)) throw new TransactionNotSent(message)
      // The transaction may have arrived although there was no answer, so it is treated as sent.
    }
    return hash
  }
}

/** Nodes accept a replacement only if its fees are at least an eighth higher. */
function raiseFees(old: Fees, now: Fees): Fees {
  const larger = (a: bigint, b: bigint) => (a > b ? a : b)
  return {
    maxFeePerGas: larger((old.maxFeePerGas * 13n) / 10n + 1n, now.maxFeePerGas),
    maxPriorityFeePerGas: larger((old.maxPriorityFeePerGas * 13n) / 10n + 1n, now.maxPriorityFeePerGas),
  }
}

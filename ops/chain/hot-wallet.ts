import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, keccak256, type TransactionReceipt } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { SenderQueue } from '../../sql/sender.ts'
import type { Call } from './coin.ts'
import { ask, type ChainReader, isAnswer, messageOf } from './reader.ts'

export interface Patience {
  /** How long a receipt is waited for. */
  receiptMs: number
  /** After how long a transaction is sent again with a higher fee. */
  stuckMs: number
  pollMs: number
}

/** A transaction on its way, under every fee it was sent with. */
export interface Sent {
  call: Call
  gas: bigint
  nonce: number
  hashes: Hex[]
  fees: Fees
  /** How often it was due to be pushed while another one before it was not mined. */
  waits: number
}

interface Fees {
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** Nothing was sent, and a later try may do better: the wallet has no gas left, or the provider refuses. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}

const TRIES = 4
/** Who sent the stuck one has pushed it by then, or is gone. */
const MOST_WAITS = 3
const KNOWN = /already known|already imported|known transaction/i
const TAKEN = /nonce too low|replacement transaction underpriced|underpriced to replace|nonce .*already/i

/** The wallet that sends settlements: one transaction after the other, none lost, none left stuck. */
export class HotWallet {
  readonly #account: PrivateKeyAccount
  readonly #reader: ChainReader
  readonly #queue: SenderQueue
  readonly #patience: Patience
  readonly #chainId: number

  constructor(key: Hex, chainId: number, reader: ChainReader, queue: SenderQueue, patience: Patience) {
    this.#account = privateKeyToAccount(key)
    this.#chainId = chainId
    this.#reader = reader
    this.#queue = queue
    this.#patience = patience
  }

  get address(): Hex {
    return this.#account.address
  }

  /** Signs and broadcasts while no other process does; the receipt is waited for elsewhere. */
  async send(call: Call): Promise<Sent> {
    const { client } = this.#reader
    const account = this.address
    const [gas, fees] = await ask(Promise.all([client.estimateGas({ ...call, account }), client.estimateFeesPerGas()]))
    const sent = { call, gas: (gas * 13n) / 10n, fees, waits: 0 }
    return this.#queue.alone({ chainId: this.#chainId, address: account }, async noted => {
      let nonce = await ask(client.getTransactionCount({ address: account, blockTag: 'pending' }))
      if (noted !== undefined && noted > nonce) nonce = noted
      for (let tries = 0; ; tries++) {
        const outcome = await this.#broadcast({ ...sent, nonce })
        if (outcome !== 'taken') return { next: nonce + 1, result: { ...sent, nonce, hashes: [outcome] } }
        if (tries === TRIES) throw new NotSent('the number of the next transaction cannot be found')
        nonce += 1
      }
    })
  }

  /** The receipt, or nothing when the time is over or another transaction has taken the place of this one. */
  async receiptOf(sent: Sent): Promise<TransactionReceipt | undefined> {
    const deadline = Date.now() + this.#patience.receiptMs
    let pushAt = Date.now() + this.#patience.stuckMs
    for (;;) {
      const receipt = await this.#receiptNow(sent)
      if (receipt) return receipt
      if (Date.now() >= deadline) return undefined
      if (Date.now() >= pushAt) {
        if ((await this.#push(sent)) === 'passed') return this.#receiptNow(sent)
        pushAt = Date.now() + this.#patience.stuckMs
      }
      await sleep(this.#patience.pollMs)
    }
  }

  /** Whether another transaction was mined under this one's number, so that this one never will be. */
  async hasPassed({ nonce }: Sent): Promise<boolean> {
    return (await ask(this.#reader.client.getTransactionCount({ address: this.address, blockTag: 'latest' }))) > nonce
  }

  /** A provider that is away has no receipt yet. */
  async #receiptNow({ hashes }: Sent): Promise<TransactionReceipt | undefined> {
    const receipts = hashes.map(hash => this.#reader.client.getTransactionReceipt({ hash }).catch(() => undefined))
    const found = (await Promise.all(receipts)).filter(receipt => receipt !== undefined)
    return found.find(({ status }) => status === 'success') ?? found[0]
  }

  /**
   * Sends a transaction that waits too long again, under its own number and a higher fee. One that waits behind a stuck
   * one leaves that to its own sender for a while, and then takes its place.
   */
  async #push(sent: Sent): Promise<'passed' | 'waiting'> {
    try {
      const { client } = this.#reader
      const [next, now] = await Promise.all([
        client.getTransactionCount({ address: this.address, blockTag: 'latest' }),
        client.estimateFeesPerGas(),
      ])
      if (next > sent.nonce) return 'passed'
      if (next < sent.nonce && ++sent.waits < MOST_WAITS) return 'waiting'
      sent.fees = raised(sent.fees, now)
      const hash = await this.#broadcast({ ...sent, nonce: next })
      if (hash !== 'taken') sent.hashes.push(hash)
    } catch {
      // The provider is away or refuses; the next push is soon.
    }
    return 'waiting'
  }

  async #broadcast({ call, gas, nonce, fees }: Omit<Sent, 'hashes' | 'waits'>): Promise<Hex | 'taken'> {
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    const transaction = { ...call, gas, nonce, maxFeePerGas, maxPriorityFeePerGas, chainId: this.#chainId }
    const serializedTransaction = await this.#account.signTransaction({ ...transaction, type: 'eip1559' })
    const hash = keccak256(serializedTransaction)
    try {
      await this.#reader.client.sendRawTransaction({ serializedTransaction })
    } catch (error) {
      const said = messageOf(error)
      if (KNOWN.test(said)) return hash
      if (TAKEN.test(said)) return 'taken'
      if (isAnswer(error)) throw new NotSent(said)
      // It may have arrived although no answer came back: from here on it is looked for.
    }
    return hash
  }
}

/** Nodes take a replacement only if it pays an eighth more at least. */
function raised(old: Fees, now: Fees): Fees {
  const larger = (a: bigint, b: bigint) => (a > b ? a : b)
  return {
    maxFeePerGas: larger((old.maxFeePerGas * 13n) / 10n + 1n, now.maxFeePerGas),
    maxPriorityFeePerGas: larger((old.maxPriorityFeePerGas * 13n) / 10n + 1n, now.maxPriorityFeePerGas),
  }
}

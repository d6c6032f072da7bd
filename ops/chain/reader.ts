import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  createPublicClient,
  ExecutionRevertedError,
  encodeEventTopics,
  type Hex,
  http,
  isAddressEqual,
  type Log,
  numberToHex,
  type PublicClient,
  pad,
  RpcRequestError,
  type TransactionReceipt,
} from 'viem'
import { type PaymentNetwork, Problem, type SignedPayment } from '#kit'
import { type Call, COIN, SIGNED, WALLET } from './coin.ts'
import { reasonOfRevert } from './reasons.ts'

const RPC_TIMEOUT_MS = 8_000
/** Providers refuse to search more blocks than some thousands at once. */
const BLOCKS_AT_ONCE = 2_000n
/** About two days on a chain with a block every two seconds. */
const MOST_SEARCHES = 50
const CODE_FRESH_MS = 60_000
const CODE_KEPT = 20_000

const [[USED], [CANCELLED], [TRANSFER]] = (['AuthorizationUsed', 'AuthorizationCanceled', 'Transfer'] as const).map(
  eventName => encodeEventTopics({ abi: COIN, eventName }) as [Hex],
) as [[Hex], [Hex], [Hex]]

export interface Trace {
  state: 'used' | 'unused' | 'cancelled'
  txHash?: Hex
}

type LogFacts = Pick<Log<Hex, number, false>, 'address' | 'topics' | 'data' | 'transactionHash'>

/** What can be asked of a chain without a key. */
export class ChainReader {
  readonly client: PublicClient
  readonly #blocksAtOnce: bigint
  readonly #code = new Map<string, { at: number; has: boolean }>()

  constructor(network: PaymentNetwork, rpcUrl: string, blocksAtOnce = BLOCKS_AT_ONCE) {
    this.#blocksAtOnce = blocksAtOnce
    const chain = {
      id: network.chainId,
      name: network.v1Name,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
    }
    const transport = http(rpcUrl, { batch: true, timeout: RPC_TIMEOUT_MS, retryCount: 1, retryDelay: 100 })
    this.client = createPublicClient({ chain, transport, cacheTime: 0 })
  }

  /** Whether an account is a contract; remembered for a minute, because it is asked of every payment. */
  async hasCode(address: string, isFresh = false): Promise<boolean> {
    const key = address.toLowerCase()
    const known = this.#code.get(key)
    if (known && !isFresh && Date.now() - known.at < CODE_FRESH_MS) return known.has
    const code = await ask(this.client.getCode({ address: address as Address }))
    if (this.#code.size >= CODE_KEPT) this.#code.clear()
    const has = code !== undefined && code !== '0x'
    this.#code.set(key, { at: Date.now(), has })
    return has
  }

  /** Asks the wallet itself. A wallet that fails to answer has not signed. */
  async walletSigned(wallet: string, digest: Hex, signature: Hex): Promise<boolean> {
    const question = { address: wallet as Address, abi: WALLET, functionName: 'isValidSignature' } as const
    const answer = this.client.readContract({ ...question, args: [digest, signature] }).catch((error: unknown) => {
      if (isRevert(error)) return undefined
      throw error
    })
    return (await ask(answer)) === SIGNED
  }

  /** A signature of a wallet that is not deployed: asked of the wallet as its factory would make it. */
  undeployedSigned(wallet: string, digest: Hex, signature: Hex): Promise<boolean> {
    return ask(this.client.verifyHash({ address: wallet as Address, hash: digest, signature }))
  }

  /** Whether the authorization is spent and what the payer has, in one request. */
  async standing({ asset, authorization }: SignedPayment): Promise<{ isUsed: boolean; balance: bigint }> {
    const coin = { address: asset as Address, abi: COIN } as const
    const from = authorization.from as Address
    const [isUsed, balance] = await ask(
      Promise.all([
        this.client.readContract({
          ...coin,
          functionName: 'authorizationState',
          args: [from, authorization.nonce as Hex],
        }),
        this.client.readContract({ ...coin, functionName: 'balanceOf', args: [from] }),
      ]),
    )
    return { isUsed, balance }
  }

  /** Why a call would fail, or nothing. */
  async refusal(call: Call): Promise<string | undefined> {
    try {
      await this.client.call(call)
      return undefined
    } catch (error) {
      if (isRevert(error)) return reasonOfRevert(messageOf(error))
      throw away(error)
    }
  }

  /** What became of an authorization, whoever broadcast it. */
  async look(payment: SignedPayment): Promise<Trace> {
    const { isUsed } = await this.standing(payment)
    if (!isUsed) return { state: 'unused' }
    const log = await this.#search(payment)
    if (!log?.transactionHash) throw new Problem('PROVIDER_UNAVAILABLE', { capability: 'x402' })
    if (log.topics[0] === CANCELLED) return { state: 'cancelled', txHash: log.transactionHash }
    const receipt = await ask(this.client.getTransactionReceipt({ hash: log.transactionHash }))
    return { state: hasMoved(receipt, payment) ? 'used' : 'cancelled', txHash: log.transactionHash }
  }

  /** The event that spent the authorization, searched backwards from now. */
  async #search({ asset, authorization }: SignedPayment): Promise<LogFacts | undefined> {
    const topics = [[USED, CANCELLED], pad(authorization.from as Hex), authorization.nonce as Hex]
    let last = await ask(this.client.getBlockNumber())
    for (let search = 0; search < MOST_SEARCHES && last >= 0n; search++) {
      const first = last >= this.#blocksAtOnce ? last - this.#blocksAtOnce + 1n : 0n
      const filter = { address: asset as Address, topics, fromBlock: numberToHex(first), toBlock: numberToHex(last) }
      const logs = await ask(this.client.request({ method: 'eth_getLogs', params: [filter] }))
      if (logs[0]) return logs[0] as unknown as LogFacts
      last = first - 1n
    }
    return undefined
  }
}

/**
 * Whether this very authorization moved the money: the contract writes the transfer right after the use. A payer may
 * sign two authorizations with one nonce, or put another transfer into the same transaction.
 */
export function hasMoved(receipt: TransactionReceipt, { asset, authorization }: SignedPayment): boolean {
  const { from, to, value, nonce } = authorization
  const logs = receipt.logs.filter(({ address }) => isAddressEqual(address, asset as Address))
  const at = logs.findIndex(({ topics }) => isEvent(topics, USED, pad(from as Hex), nonce as Hex))
  const next = at < 0 ? undefined : logs[at + 1]
  const isOurs = next !== undefined && isEvent(next.topics, TRANSFER, pad(from as Hex), pad(to as Hex))
  return isOurs && BigInt(next.data) === value && next.logIndex === logs[at]!.logIndex + 1
}

function isEvent(topics: readonly Hex[], ...wanted: Hex[]): boolean {
  return wanted.every((topic, index) => topics[index]?.toLowerCase() === topic.toLowerCase())
}

/** What the chain's provider answers; that it does not answer is no fault of the payment. */
export async function ask<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    throw away(error)
  }
}

/** The address of a provider often holds its key, so what viem says of it is not passed on. */
function away(error: unknown): unknown {
  return error instanceof BaseError ? new Problem('PROVIDER_UNAVAILABLE', { capability: 'x402' }) : error
}

function isRevert(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const cause = error.walk(
    inner =>
      inner instanceof ExecutionRevertedError ||
      inner instanceof ContractFunctionRevertedError ||
      inner instanceof ContractFunctionZeroDataError ||
      (inner as Error).name.startsWith('Abi'),
  )
  return cause !== null
}

/** Whether the provider answered with a refusal, rather than not at all. */
export function isAnswer(error: unknown): boolean {
  return error instanceof BaseError && error.walk(inner => inner instanceof RpcRequestError) !== null
}

/** Without the address that was asked. */
export function messageOf(error: unknown): string {
  if (!(error instanceof BaseError)) return error instanceof Error ? error.name : 'unknown'
  const said = error.walk(inner => inner instanceof ExecutionRevertedError) as BaseError | null
  return [said?.shortMessage, error.shortMessage, error.details].filter(Boolean).join(' ')
}

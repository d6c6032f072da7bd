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
import { Problem } from '#kit'
import type { AuthorizationTrace, PaymentNetwork, SignedPayment } from './contract.ts'
import { toReason } from './reasons.ts'
import { type ContractCall, TOKEN_ABI, VALID_SIGNATURE, WALLET_ABI } from './token.ts'

const RPC_TIMEOUT_MS = 8_000
/** Providers reject a search over more than some thousand blocks. */
const BLOCKS_PER_SEARCH = 2_000n
/** Together about two days on a chain with a block every two seconds. */
const MAX_SEARCHES = 50
const CODE_TTL_MS = 60_000
const MAX_CACHED_CODES = 20_000

const [[USED_TOPIC], [CANCELLED_TOPIC], [TRANSFER_TOPIC]] = (
  ['AuthorizationUsed', 'AuthorizationCanceled', 'Transfer'] as const
).map(eventName => encodeEventTopics({ abi: TOKEN_ABI, eventName }) as [Hex]) as [[Hex], [Hex], [Hex]]

type LogFields = Pick<Log<Hex, number, false>, 'address' | 'topics' | 'data' | 'transactionHash'>

/** Reads from the chain, without a key. */
export class ChainReader {
  readonly client: PublicClient
  readonly #blocksPerSearch: bigint
  readonly #code = new Map<string, { at: number; has: boolean }>()

  constructor(network: PaymentNetwork, rpcUrl: string, blocksPerSearch = BLOCKS_PER_SEARCH) {
    this.#blocksPerSearch = blocksPerSearch
    const chain = {
      id: network.chainId,
      name: network.v1Name,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
    }
    const transport = http(rpcUrl, { batch: true, timeout: RPC_TIMEOUT_MS, retryCount: 1, retryDelay: 100 })
    this.client = createPublicClient({ chain, transport, cacheTime: 0 })
  }

  /** Whether an account is a contract; cached for a minute, because every payment needs it. */
  async hasCode(address: string, isFresh = false): Promise<boolean> {
    const key = address.toLowerCase()
    const known = this.#code.get(key)
    if (known && !isFresh && Date.now() - known.at < CODE_TTL_MS) return known.has
    const code = await callProvider(this.client.getCode({ address: address as Address }))
    if (this.#code.size >= MAX_CACHED_CODES) this.#code.clear()
    const has = code !== undefined && code !== '0x'
    this.#code.set(key, { at: Date.now(), has })
    return has
  }

  /** Calls the wallet's own check (EIP-1271). A wallet whose check fails has not signed. */
  async isSignedByWallet(wallet: string, digest: Hex, signature: Hex): Promise<boolean> {
    const question = { address: wallet as Address, abi: WALLET_ABI, functionName: 'isValidSignature' } as const
    const answer = this.client.readContract({ ...question, args: [digest, signature] }).catch((error: unknown) => {
      if (isRevert(error)) return undefined
      throw error
    })
    return (await callProvider(answer)) === VALID_SIGNATURE
  }

  /** Simulates the deployment of a wallet by its factory and calls its check (ERC-6492). */
  isSignedByUndeployedWallet(wallet: string, digest: Hex, signature: Hex): Promise<boolean> {
    return callProvider(this.client.verifyHash({ address: wallet as Address, hash: digest, signature }))
  }

  /** Whether the authorization is spent, and the payer's balance, in one request. */
  async readPayerState({ asset, authorization }: SignedPayment): Promise<{ isUsed: boolean; balance: bigint }> {
    const coin = { address: asset as Address, abi: TOKEN_ABI } as const
    const from = authorization.from as Address
    const [isUsed, balance] = await callProvider(
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

  /** The reason why a call would fail, or undefined. */
  async simulateCall(call: ContractCall): Promise<string | undefined> {
    try {
      await this.client.call(call)
      return undefined
    } catch (error) {
      if (isRevert(error)) return toReason(describeError(error))
      throw toProviderProblem(error)
    }
  }

  /** The outcome of an authorization, no matter who broadcast it. */
  async traceAuthorization(payment: SignedPayment): Promise<AuthorizationTrace> {
    const { isUsed } = await this.readPayerState(payment)
    if (!isUsed) return { state: 'unused' }
    const log = await this.#findSpendingLog(payment)
    if (!log?.transactionHash) throw new Problem('PROVIDER_UNAVAILABLE', { capability: 'x402' })
    if (log.topics[0] === CANCELLED_TOPIC) return { state: 'cancelled', txHash: log.transactionHash }
    const receipt = await callProvider(this.client.getTransactionReceipt({ hash: log.transactionHash }))
    return { state: hasTransferred(receipt, payment) ? 'used' : 'cancelled', txHash: log.transactionHash }
  }

  /** Searches backwards for the event that spent the authorization. */
  async #findSpendingLog({ asset, authorization }: SignedPayment): Promise<LogFields | undefined> {
    const topics = [[USED_TOPIC, CANCELLED_TOPIC], pad(authorization.from as Hex), authorization.nonce as Hex]
    let last = await callProvider(this.client.getBlockNumber())
    for (let search = 0; search < MAX_SEARCHES && last >= 0n; search++) {
      const first = last >= this.#blocksPerSearch ? last - this.#blocksPerSearch + 1n : 0n
      const filter = { address: asset as Address, topics, fromBlock: numberToHex(first), toBlock: numberToHex(last) }
      const logs = await callProvider(this.client.request({ method: 'eth_getLogs', params: [filter] }))
      if (logs[0]) return logs[0] as unknown as LogFields
      last = first - 1n
    }
    return undefined
  }
}

/**
 * Whether this authorization moved the money: the contract logs the transfer right after the use. A payer may sign two
 * authorizations with one nonce, or put another transfer into the same transaction.
 */
export function hasTransferred(receipt: TransactionReceipt, { asset, authorization }: SignedPayment): boolean {
  const { from, to, value, nonce } = authorization
  const logs = receipt.logs.filter(({ address }) => isAddressEqual(address, asset as Address))
  const at = logs.findIndex(({ topics }) => matchesTopics(topics, USED_TOPIC, pad(from as Hex), nonce as Hex))
  const next = at < 0 ? undefined : logs[at + 1]
  const isOurs = next !== undefined && matchesTopics(next.topics, TRANSFER_TOPIC, pad(from as Hex), pad(to as Hex))
  return isOurs && BigInt(next.data) === value && next.logIndex === logs[at]!.logIndex + 1
}

function matchesTopics(topics: readonly Hex[], ...expected: Hex[]): boolean {
  return expected.every((topic, index) => topics[index]?.toLowerCase() === topic.toLowerCase())
}

/** Turns a failure of the chain's provider into a Problem, because it says nothing about the payment. */
export async function callProvider<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    throw toProviderProblem(error)
  }
}

/** The URL of a provider often contains its key, so viem's message is not passed on. */
function toProviderProblem(error: unknown): unknown {
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

/** Whether the provider answered with an error, as opposed to no answer. */
export function isRpcRefusal(error: unknown): boolean {
  return error instanceof BaseError && error.walk(inner => inner instanceof RpcRequestError) !== null
}

/** The error's message without the provider's URL. */
export function describeError(error: unknown): string {
  if (!(error instanceof BaseError)) return error instanceof Error ? error.name : 'unknown'
  const revert = error.walk(inner => inner instanceof ExecutionRevertedError) as BaseError | null
  return [revert?.shortMessage, error.shortMessage, error.details].filter(Boolean).join(' ')
}

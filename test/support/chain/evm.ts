import { randomBytes } from 'node:crypto'
import {
  type Address,
  bytesToHex,
  createTestClient,
  encodeDeployData,
  type Hex,
  http,
  parseAbi,
  publicActions,
  walletActions,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Authorization, Facilitator, SignedPayment } from '#kit'
import { startDevChain } from '../../../ops/dev-chain/start.ts'
import { DEV_WALLETS } from '../../../ops/dev-chain/wallets.ts'
import { NETWORKS } from '../../../ops/providers/chain/networks.ts'
import { openFacilitator } from '../../../ops/providers/chain/open.ts'
import type { X402Config } from '../../../ops/providers/chain/settings.ts'
import { TOKEN_ABI } from '../../../ops/providers/chain/token.ts'
import { openSenderQueue } from '../../../sql/sender.ts'
import { freshDatabase } from '../database/fresh.ts'

const MINTER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const MINT = parseAbi(['function mint(address to, uint256 value)'])
const CANCEL = parseAbi(['function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)'])
const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

export type Payer = PrivateKeyAccount
type PaymentDraft = Partial<Authorization> & { symbol?: 'USDC' | 'EURC'; domain?: object; from?: string }

export const PAYEE = DEV_WALLETS.payee.address
export const [USDC, EURC] = NETWORKS.dev.assets as [(typeof NETWORKS.dev.assets)[0], (typeof NETWORKS.dev.assets)[0]]

/** Starts a real chain for one test, with actions that do not use the facilitator. */
export async function openEvm() {
  const chain = await startDevChain({ port: 0 })
  const client = createClient(chain.rpcUrl)
  return { ...chain, client, ...createActions(client) }
}

export type Evm = Awaited<ReturnType<typeof openEvm>>

function createClient(rpcUrl: string) {
  return createTestClient({ mode: 'anvil', transport: http(rpcUrl), cacheTime: 0, pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions)
}

function createActions(client: ReturnType<typeof createClient>) {
  const send = async (to: Address | undefined, data: Hex) => {
    const hash = await client.sendTransaction({ account: MINTER, chain: null, to, data, gas: 5_000_000n })
    return client.waitForTransactionReceipt({ hash })
  }
  let last: Promise<unknown> = Promise.resolve()
  /** One at a time, because the chain assigns the nonces of its own account; it answers before it has mined. */
  const mint = (to: string, value: bigint, asset = USDC): Promise<unknown> => {
    const coin = { address: asset.address as Address, abi: MINT, account: MINTER, chain: null } as const
    last = last.then(async () => {
      const hash = await client.writeContract({ ...coin, functionName: 'mint', args: [to as Address, value] })
      return client.waitForTransactionReceipt({ hash })
    })
    return last
  }
  return {
    mint,
    send,
    /** Creates a wallet and funds it. */
    async payer(value = 1_000_000n): Promise<Payer> {
      const account = privateKeyToAccount(generatePrivateKey())
      if (value > 0n) await mint(account.address, value)
      return account
    },
    balance: (of: string, asset = USDC): Promise<bigint> =>
      client.readContract({
        address: asset.address as Address,
        abi: TOKEN_ABI,
        functionName: 'balanceOf',
        args: [of as Address],
      }),
    /** Deploys a contract compiled by solidity.ts. */
    async deploy(creation: string, abi: readonly string[] = [], args: unknown[] = []): Promise<Address> {
      const data = encodeDeployData({ abi: parseAbi(abi), bytecode: `0x${creation}`, args } as never)
      return (await send(undefined, data)).contractAddress!
    },
    async cancel(payer: Payer, nonce: string): Promise<void> {
      const message = { authorizer: payer.address, nonce: nonce as Hex }
      const signature = await payer.signTypedData({
        domain: buildDomain(),
        types: TYPES,
        primaryType: 'CancelAuthorization',
        message,
      })
      await client.writeContract({
        address: USDC.address as Address,
        abi: CANCEL,
        account: MINTER,
        chain: null,
        functionName: 'cancelAuthorization',
        args: [payer.address, nonce as Hex, signature],
      })
    },
  }
}

/** Signs a payment as a client does; `draft` overrides any field. */
export async function signPayment(payer: Payer, draft: PaymentDraft = {}): Promise<SignedPayment> {
  const { symbol = 'USDC', domain = {}, ...terms } = draft
  const asset = symbol === 'USDC' ? USDC : EURC
  const authorization: Authorization = {
    from: payer.address,
    to: PAYEE,
    value: 10_000n,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + 300),
    nonce: bytesToHex(randomBytes(32)),
    ...terms,
  }
  const signature = await payer.signTypedData({
    domain: { ...buildDomain(asset), ...domain },
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message: authorization as never,
  })
  return { version: 2, asset: asset.address, authorization, signature }
}

/** Our own facilitator on that chain, with a new database unless one is given. */
export async function openOwnFacilitator(
  evm: { rpcUrl: string },
  options: Partial<X402Config> & { url?: string } = {},
) {
  const { url, ...x402 } = options
  const database = url ? undefined : await freshDatabase()
  const facilitator = (await openFacilitator(
    {
      databaseUrl: url ?? database!.url,
      logLevel: 'silent',
      x402: {
        network: 'dev',
        payTo: PAYEE,
        rpcUrl: evm.rpcUrl,
        settlerKey: DEV_WALLETS.settler.key,
        factories: [],
        ...x402,
      },
    },
    openSenderQueue,
  )) as Facilitator
  return {
    facilitator,
    async [Symbol.asyncDispose]() {
      await facilitator.close?.()
      await database?.[Symbol.asyncDispose]()
    },
  }
}

function buildDomain(asset = USDC) {
  return {
    name: asset.domainName,
    version: asset.domainVersion,
    chainId: NETWORKS.dev.chainId,
    verifyingContract: asset.address as Address,
  }
}

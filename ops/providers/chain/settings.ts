import { type Static, type TObject, Type } from 'typebox'
import { ConfigError, declareSettings, splitList } from '../../variables/declaration.ts'
import { CHAIN_ADDRESS_RULE, Flag, OptionalText, OptionalUrl, Port, TOKEN_RULE } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    x402?: X402Config
    hasDevChain: boolean
    devChainPort: number
  }
}

const X402_NETWORKS = ['base', 'base-sepolia', 'dev'] as const
export type X402Network = (typeof X402_NETWORKS)[number]

/** Without a settler key and without a facilitator nothing can settle, and x402 is reported as unavailable. */
export interface X402Config {
  network: X402Network
  payTo: string
  rpcUrl?: string
  settlerKey?: string
  facilitator?: { url: string; token?: string }
  factories: readonly string[]
  operatorToken?: string
}

const variables = {
  X402_NETWORK: Type.Optional(
    Type.Unsafe<X402Network>({
      type: 'string',
      enum: [...X402_NETWORKS],
      displayDefault: 'no x402',
      description: 'Chain on which calls without an account are paid; `dev` is the local chain of DEV_CHAIN.',
    }),
  ),
  X402_PAY_TO: OptionalText({
    ...CHAIN_ADDRESS_RULE,
    displayDefault: 'no x402',
    description: 'Address that receives the payments.',
  }),
  X402_RPC_URL: OptionalUrl({
    isSecret: true,
    displayDefault: "the network's own",
    description: 'RPC provider of the chain.',
  }),
  X402_SETTLER_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    expects: '0x and 64 hex digits',
    pattern: '^0x[0-9a-fA-F]{64}$',
    description: 'Private key of the wallet that sends settlements and pays their gas; it needs to hold nothing else.',
  }),
  X402_FACILITATOR_URL: OptionalUrl({
    displayDefault: 'none',
    description: 'Facilitator that settles instead of our own wallet.',
  }),
  X402_FACILITATOR_TOKEN: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Bearer token for that facilitator.',
  }),
  X402_ERC6492_FACTORIES: Type.String({
    default: '',
    expects: 'addresses separated by commas',
    pattern: '^(0x[0-9a-fA-F]{40}(\\s*,\\s*(?!$)|$))*$',
    description: 'Factories whose wallets may pay before they are deployed; we pay the gas of the deployment.',
  }),
  X402_OPERATOR_TOKEN: OptionalText({
    ...TOKEN_RULE,
    isSecret: true,
    displayDefault: 'closed',
    description: 'Bearer token that opens POST /x402/verify and POST /x402/settle.',
  }),
  DEV_CHAIN: Flag(false, '`npm start` also runs a local chain with a funded wallet, to try x402 without real money.'),
  DEV_CHAIN_PORT: Type.Optional(
    Port({ displayDefault: 'PORT + 3', minimum: 1, description: 'Port of that local chain, on 127.0.0.1.' }),
  ),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Payments without an account (x402)',
  variables,
  read: (values, { port }) => ({
    x402: readX402Config(values),
    hasDevChain: values.DEV_CHAIN,
    devChainPort: values.DEV_CHAIN_PORT ?? port + 3,
  }),
})

function readX402Config(values: Values): X402Config | undefined {
  const { X402_NETWORK: network, X402_PAY_TO, X402_FACILITATOR_URL, X402_FACILITATOR_TOKEN } = values
  if (!network) {
    const stray = Object.entries(values).find(([name, value]) => name.startsWith('X402_') && value)
    if (stray) throw new ConfigError(`X402_NETWORK must be set when ${stray[0]} is set.`)
    return undefined
  }
  if (!X402_PAY_TO) throw new ConfigError('X402_PAY_TO must be set when X402_NETWORK is set.')
  if (network === 'dev' && !values.X402_RPC_URL) {
    throw new ConfigError('X402_NETWORK must be base or base-sepolia unless DEV_CHAIN starts a local chain.')
  }
  if (network !== 'dev' && values.DEV_CHAIN) {
    throw new ConfigError(`DEV_CHAIN must be off when X402_NETWORK is ${network}.`)
  }
  return {
    network,
    payTo: X402_PAY_TO,
    rpcUrl: values.X402_RPC_URL,
    settlerKey: values.X402_SETTLER_KEY,
    facilitator: X402_FACILITATOR_URL ? { url: X402_FACILITATOR_URL, token: X402_FACILITATOR_TOKEN } : undefined,
    factories: splitList(values.X402_ERC6492_FACTORIES),
    operatorToken: values.X402_OPERATOR_TOKEN,
  }
}

import type { PaymentNetwork } from '#kit'
import type { X402Network } from './settings.ts'

interface KnownNetwork extends Omit<PaymentNetwork, 'payTo'> {
  /** The public provider of the network: free, slow and rate-limited. */
  rpcUrl: string
}

const BASE: KnownNetwork = {
  caip2: 'eip155:8453',
  v1Name: 'base',
  chainId: 8453,
  rpcUrl: 'https://mainnet.base.org',
  assets: [
    {
      symbol: 'USDC',
      address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      domainName: 'USD Coin',
      domainVersion: '2',
    },
    { symbol: 'EURC', address: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42', domainName: 'EURC', domainVersion: '2' },
  ],
}

const BASE_SEPOLIA: KnownNetwork = {
  caip2: 'eip155:84532',
  v1Name: 'base-sepolia',
  chainId: 84532,
  rpcUrl: 'https://sepolia.base.org',
  assets: [
    { symbol: 'USDC', address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', domainName: 'USDC', domainVersion: '2' },
    { symbol: 'EURC', address: '0x808456652fdb597867f38412077A9182bf77359F', domainName: 'EURC', domainVersion: '2' },
  ],
}

/** The local chain uses the names and addresses of Base Sepolia, because clients pay only on chains they know. */
export const NETWORKS: Readonly<Record<X402Network, KnownNetwork>> = {
  base: BASE,
  'base-sepolia': BASE_SEPOLIA,
  dev: BASE_SEPOLIA,
}

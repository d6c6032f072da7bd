import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../variables.ts'

/** Publicly known keys: the keccak256 of `coinop local chain: payer` and so on. Never send real money to them. */
export const DEV_WALLETS = {
  settler: {
    key: '0x1229007907cc6c1092b06abfb74575f1241f8508326dfc8e66e07b578dc627b7',
    address: '0xFfA9a2fb399D22d0e740eF10DC4327853cc37535',
  },
  payer: {
    key: '0x16a89b9a116f2d338cbeea55659931143b6f36cb05ac0c76a4e18054d5866f75',
    address: '0x2290b7128816DbdeB61bD962c71A21413C27A6b3',
  },
  payee: {
    key: '0xa22ca76c9fe13d03c56d345c8e09c5c9a344064676fcdec99c8499942f2d54f7',
    address: '0x7b94502724978975f0413ceAf79b0F11AA216418',
  },
} as const

/** The variables that make the roles accept payments on the local chain. */
export function buildDevChainVariables(rpcUrl: string): Environment {
  const { settler, payee } = DEV_WALLETS
  return {
    X402_NETWORK: 'dev',
    X402_RPC_URL: rpcUrl,
    X402_PAY_TO: payee.address,
    X402_SETTLER_KEY: settler.key,
  }
}

export function formatDevChainUrl(port: number): string {
  return `http://127.0.0.1:${port}`
}

/** A command to paste into a terminal in any folder: the reference client of x402 pays for a call. */
export function formatPaymentExample(publicUrl: string): string {
  const text = readFileSync(new URL('../templates/payment-example.txt', import.meta.url), 'utf8')
  // The client's packages are found from our folder, whatever folder the command is pasted in.
  const folder = fileURLToPath(new URL('../..', import.meta.url)).replaceAll("'", `'\\''`)
  return text
    .replace('{{folder}}', () => folder)
    .replace('{{key}}', DEV_WALLETS.payer.key)
    .replace('{{url}}', publicUrl)
}

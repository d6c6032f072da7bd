import type { Page } from 'playwright-core'
import type { PrivateKeyAccount } from 'viem/accounts'

/** Records the called methods. With `declines` it acts as a user who rejects everything but sharing the account. */
export interface BrowserWallet {
  calledMethods: string[]
  chainId: string
  declines: boolean
}

interface WalletRequest {
  method: string
  params?: unknown[]
}

type WalletResponse = { value: unknown } | { error: { code: number; message: string } }

/** Adds `window.ethereum` to every page, as a browser extension does. Like those it signs only data of the network it is on, and hashes only the domain whose type the data name. */
export async function injectWallet(page: Page, account: PrivateKeyAccount): Promise<BrowserWallet> {
  const wallet: BrowserWallet = { calledMethods: [], chainId: '0x1', declines: false }
  const knownChains = new Set(['0x1'])
  const methods: Record<string, (params: unknown[]) => unknown> = {
    eth_requestAccounts: () => [account.address],
    eth_chainId: () => wallet.chainId,
    personal_sign: ([message]) => account.signMessage({ message: { raw: message as `0x${string}` } }),
    eth_signTypedData_v4: ([, data]) => {
      const typed = JSON.parse(String(data))
      const { chainId } = typed.domain
      if (chainId !== undefined && Number(chainId) !== Number(wallet.chainId))
        throw new Error(`Provided chainId "${chainId}" must match the active chainId "${Number(wallet.chainId)}"`)
      return account.signTypedData({ ...typed, types: { EIP712Domain: [], ...typed.types } })
    },
    wallet_addEthereumChain: ([chain]) => {
      knownChains.add((chain as { chainId: string }).chainId)
      return null
    },
  }
  const switchChain = (chainId: string): WalletResponse => {
    if (!knownChains.has(chainId)) return { error: { code: 4902, message: 'Unrecognized chain' } }
    wallet.chainId = chainId
    return { value: null }
  }
  const handleRequest = async ({ method, params = [] }: WalletRequest): Promise<WalletResponse> => {
    wallet.calledMethods.push(method)
    if (wallet.declines && method !== 'eth_requestAccounts') return { error: { code: 4001, message: 'User rejected' } }
    if (method === 'wallet_switchEthereumChain') return switchChain((params[0] as { chainId: string }).chainId)
    const handler = methods[method]
    return handler ? { value: await handler(params) } : { error: { code: 4200, message: `no ${method} here` } }
  }
  await page.exposeFunction('callWallet', handleRequest)
  await page.addInitScript(`window.ethereum = { request: async request => {
    const response = await window.callWallet(request)
    if (response.error) throw Object.assign(new Error(response.error.message), response.error)
    return response.value
  } }`)
  return wallet
}

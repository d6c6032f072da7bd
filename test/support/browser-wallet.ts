import type { Page } from 'playwright-core'
import type { PrivateKeyAccount } from 'viem/accounts'

/** A wallet in the browser, and what it was asked. `declines` answers as a person does who says no. */
export interface BrowserWallet {
  asked: string[]
  chainId: string
  declines: boolean
}

interface Asked {
  method: string
  params?: unknown[]
}

type Answer = { value: unknown } | { error: { code: number; message: string } }

/** Puts `window.ethereum` into every page, as an extension does; it signs with a key on this side. */
export async function injectWallet(page: Page, account: PrivateKeyAccount): Promise<BrowserWallet> {
  const wallet: BrowserWallet = { asked: [], chainId: '0x1', declines: false }
  const known = new Set(['0x1'])
  const answers: Record<string, (params: unknown[]) => unknown> = {
    eth_requestAccounts: () => [account.address],
    eth_chainId: () => wallet.chainId,
    personal_sign: ([message]) => account.signMessage({ message: { raw: message as `0x${string}` } }),
    eth_signTypedData_v4: ([, data]) => account.signTypedData(JSON.parse(String(data))),
    wallet_addEthereumChain: ([chain]) => {
      known.add((chain as { chainId: string }).chainId)
      return null
    },
  }
  const switchTo = (chainId: string): Answer => {
    if (!known.has(chainId)) return { error: { code: 4902, message: 'Unrecognized chain' } }
    wallet.chainId = chainId
    return { value: null }
  }
  const answer = async ({ method, params = [] }: Asked): Promise<Answer> => {
    wallet.asked.push(method)
    if (wallet.declines && method !== 'eth_requestAccounts') return { error: { code: 4001, message: 'User rejected' } }
    if (method === 'wallet_switchEthereumChain') return switchTo((params[0] as { chainId: string }).chainId)
    const find = answers[method]
    return find ? { value: await find(params) } : { error: { code: 4200, message: `no ${method} here` } }
  }
  await page.exposeFunction('askTheWallet', answer)
  await page.addInitScript(`window.ethereum = { request: async asked => {
    const answer = await window.askTheWallet(asked)
    if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error)
    return answer.value
  } }`)
  return wallet
}

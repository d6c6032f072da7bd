import type { PaymentNetwork } from '#kit'
import { NETWORKS } from '../../ops/chain/networks.ts'
import type { Floor } from '../floor.ts'
import { type Html, html } from './html.ts'

/** The deeds of `assets/wallet.js`. Its forms stay hidden where the browser has no wallet. */
export type Deed = 'sign-in' | 'join' | 'pay'

export const WALLET_SCRIPT = html`<script src="/pages/wallet.js" defer></script>`

const CHOICE = html`<div hidden><label>Wallet <select name="wallet"></select></label></div>`
const SAID = html`<p class="dim small" role="status"></p>`

/** A form whose text a wallet signs before it is sent. */
export function signingForm(deed: 'sign-in' | 'join', action: string, fields: Html, button: Html): Html {
  return html`<form method="post" action="${action}" class="stack" data-wallet="${deed}" hidden>${fields}${CHOICE}
<input type="hidden" name="message"><input type="hidden" name="signature">${button}${SAID}</form>${WALLET_SCRIPT}`
}

/** A form that pays by x402 from a wallet; one that is not among `joined` joins the account first. */
export function payingForm(floor: Floor, network: PaymentNetwork, joined: readonly string[], csrf: Html): Html {
  const coins = network.assets.map(({ address, symbol }) => html`<option value="${address}">${symbol}</option>`)
  return html`<form class="limits" data-wallet="pay" data-chain="${JSON.stringify(chainOf(floor, network))}" data-joined="${joined.join(' ')}" hidden>${csrf}
<div><label for="wallet-amount">Amount, USD</label><input id="wallet-amount" name="amount" inputmode="decimal" pattern="\\d{1,7}(\\.\\d{1,6})?" required value="5"></div>
<div><label for="wallet-asset">Coin</label><select id="wallet-asset" name="asset">${coins}</select></div>${CHOICE}
<button class="button small" type="submit">Pay from wallet</button>${SAID}</form>${WALLET_SCRIPT}`
}

const NAMES = { base: 'Base', 'base-sepolia': 'Base Sepolia', dev: 'Local chain' } as const

/** What a wallet is told that does not know the chain yet. An operator's own provider is nobody else's to know. */
function chainOf({ config }: Floor, { chainId }: PaymentNetwork): object {
  const { network = 'base', rpcUrl } = config.x402 ?? {}
  return {
    chainId: `0x${chainId.toString(16)}`,
    chainName: NAMES[network],
    rpcUrls: [(network === 'dev' && rpcUrl) || NETWORKS[network].rpcUrl],
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  }
}

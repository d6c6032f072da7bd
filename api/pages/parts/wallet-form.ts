import type { PaymentNetwork } from '#kit'
import { NETWORKS } from '../../../ops/providers/chain/networks.ts'
import type { X402Network } from '../../../ops/providers/chain/settings.ts'
import type { ApiContext } from '../../context.ts'
import { type Html, html } from './html.ts'

/** Runs the action in `data-wallet` of each form. The forms stay hidden in a browser without a wallet. */
const WALLET_SCRIPT = html`<script src="/pages/wallet.js" defer></script>`

const WALLET_SELECT = html`<div hidden><label>Wallet <select name="wallet"></select></label></div>`
const STATUS_LINE = html`<p class="dim small" role="status"></p>`

/** A form that is sent after the wallet has signed a message. */
export function renderSigningForm(walletAction: 'sign-in' | 'link', url: string, fields: Html, button: Html): Html {
  return html`<form method="post" action="${url}" class="stack" data-wallet="${walletAction}" hidden>${fields}${WALLET_SELECT}
<input type="hidden" name="message"><input type="hidden" name="signature">${button}${STATUS_LINE}</form>${WALLET_SCRIPT}`
}

/** A form that pays by x402 from a wallet. A wallet that is not in `linkedWallets` is linked to the account first. */
export function renderPaymentForm(
  context: ApiContext,
  network: PaymentNetwork,
  linkedWallets: readonly string[],
  csrf: Html,
): Html {
  const assetOptions = network.assets.map(({ address, symbol }) => html`<option value="${address}">${symbol}</option>`)
  return html`<form class="limits" data-wallet="pay" data-chain="${JSON.stringify(describeChain(context, network))}" data-linked="${linkedWallets.join(' ')}" hidden>${csrf}
<div><label for="wallet-amount">Amount, USD</label><input id="wallet-amount" name="amount" inputmode="decimal" pattern="\\d{1,7}(\\.\\d{1,6})?" required value="5"></div>
<div><label for="wallet-asset">Currency</label><select id="wallet-asset" name="asset">${assetOptions}</select></div>${WALLET_SELECT}
<button class="button small" type="submit">Pay from wallet</button>${STATUS_LINE}</form>${WALLET_SCRIPT}`
}

interface TypedData {
  domain: { name: string; chainId?: number }
}

/** A form that is sent after the wallet has signed these typed data (EIP-712), on the network that they name. */
export function renderAgreementForm(typedData: TypedData, fields: Html, button: Html): Html {
  const { chainId } = typedData.domain
  const chain = chainId !== undefined && html` data-chain="${JSON.stringify(describeAnyChain(chainId))}"`
  return html`<form method="post" class="stack" data-wallet="agree" data-typed="${JSON.stringify(typedData)}"${chain} hidden>${fields}${WALLET_SELECT}
<input type="hidden" name="address"><input type="hidden" name="signedAt"><input type="hidden" name="signature">${button}${STATUS_LINE}</form>${WALLET_SCRIPT}`
}

function describeAnyChain(chainId: number): object {
  const network = (['base', 'base-sepolia'] as const).find(name => NETWORKS[name].chainId === chainId)
  return network ? describeNetwork(network, chainId) : { chainId: formatChainId(chainId) }
}

const CHAIN_NAMES = { base: 'Base', 'base-sepolia': 'Base Sepolia', dev: 'Local chain' } as const

/** The chain as a wallet needs it to add it. The operator's own RPC address is never shown, except on the local chain. */
function describeChain({ config }: ApiContext, { chainId }: PaymentNetwork): object {
  const { network = 'base', rpcUrl } = config.x402 ?? {}
  return describeNetwork(network, chainId, network === 'dev' ? rpcUrl : undefined)
}

function describeNetwork(network: X402Network, chainId: number, rpcUrl = NETWORKS[network].rpcUrl): object {
  return {
    chainId: formatChainId(chainId),
    chainName: CHAIN_NAMES[network],
    rpcUrls: [rpcUrl],
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  }
}

function formatChainId(chainId: number): string {
  return `0x${chainId.toString(16)}`
}

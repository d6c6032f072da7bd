import type { PaymentNetwork } from '#kit'
import { NETWORKS } from '../../../ops/providers/chain/networks.ts'
import type { X402Network } from '../../../ops/providers/chain/settings.ts'
import type { ApiContext } from '../../context.ts'
import { type Html, html } from './html.ts'

/** Runs the action in `data-wallet` of each form. The forms stay hidden in a browser without a wallet. */
const WALLET_SCRIPT = html`<script src="/pages/wallet.js" defer></script>`

/** What a form says while a wallet is asked, in the language of its page. */
export interface WalletTexts {
  wallet: string
  /** A wallet that does not say its name. */
  unnamed: string
  opening: string
  switching: string
  signing: string
  declined: string
  silent: string
  noAccount: string
  /** `{address}` and, in the next one, `{network}` are filled in. */
  otherAccount: string
  unknownNetwork: string
}

const ENGLISH: WalletTexts = {
  wallet: 'Wallet',
  unnamed: 'Browser wallet',
  opening: 'Please open your wallet…',
  switching: 'Switching the wallet to the right network…',
  signing: 'Please sign the message in your wallet. It costs nothing.',
  declined: 'You declined in the wallet. Nothing was charged.',
  silent: 'The wallet did not answer.',
  noAccount: 'The wallet did not share an account.',
  otherAccount: 'This is to be signed by {address}. Choose that account in your wallet.',
  unknownNetwork: 'Your wallet does not know the network {network}. Add it there first.',
}

function renderSelect({ wallet }: WalletTexts): Html {
  return html`<div hidden><label>${wallet} <select name="wallet"></select></label></div>`
}

const STATUS_LINE = html`<p class="dim small" role="status"></p>`

/** A form that is sent after the wallet has signed a message. */
export function renderSigningForm(walletAction: 'sign-in' | 'link', url: string, fields: Html, button: Html): Html {
  return html`<form method="post" action="${url}" class="stack" data-wallet="${walletAction}" data-texts="${JSON.stringify(ENGLISH)}" hidden>${fields}${renderSelect(ENGLISH)}
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
  return html`<form class="limits" data-wallet="pay" data-texts="${JSON.stringify(ENGLISH)}" data-chain="${JSON.stringify(describeChain(context, network))}" data-linked="${linkedWallets.join(' ')}" hidden>${csrf}
<div><label for="wallet-amount">Amount, USD</label><input id="wallet-amount" name="amount" inputmode="decimal" pattern="\\d{1,7}(\\.\\d{1,6})?" required value="5"></div>
<div><label for="wallet-asset">Currency</label><select id="wallet-asset" name="asset">${assetOptions}</select></div>${renderSelect(ENGLISH)}
<button class="button small" type="submit">Pay from wallet</button>${STATUS_LINE}</form>${WALLET_SCRIPT}`
}

interface TypedData {
  domain: { name: string; chainId?: number }
}

/** A form that is sent after the wallet has signed these typed data (EIP-712), on the network that they name. */
export function renderAgreementForm(typedData: TypedData, fields: Html, button: Html, texts = ENGLISH): Html {
  const { chainId } = typedData.domain
  const chain = chainId !== undefined && html` data-chain="${JSON.stringify(describeAnyChain(chainId))}"`
  return html`<form method="post" class="stack" data-wallet="agree" data-texts="${JSON.stringify(texts)}" data-typed="${JSON.stringify(typedData)}"${chain} hidden>${fields}${renderSelect(texts)}
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

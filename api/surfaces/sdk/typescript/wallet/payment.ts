import { fromBase64, toBase64, toHex, utf8 } from '../bytes.ts'
import { isFields, PaymentRefusedError } from '../errors.ts'
import type { WalletAccount } from '../types.ts'

const TRANSFER = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
}

interface Offer {
  scheme: string
  network: string
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  extra?: { name?: string; version?: string; assetTransferMethod?: string }
}

/** What a wallet may be asked to sign. */
export interface PaymentLimits {
  maxMicros: bigint
  /** Lower-case addresses of tokens. */
  assets: ReadonlySet<string>
}

/** Signs one of the offers of a 402 answer (x402 version 2) and returns the header that pays for the call. */
export async function payOffer(header: string, wallet: WalletAccount, limits: PaymentLimits): Promise<string> {
  const required = JSON.parse(new TextDecoder().decode(fromBase64(header))) as Record<string, unknown>
  const accepted = chooseOffer((required.accepts ?? []) as Offer[], limits)
  const authorization = {
    from: wallet.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + accepted.maxTimeoutSeconds),
    nonce: `0x${toHex(crypto.getRandomValues(new Uint8Array(32)))}`,
  }
  const signature = await wallet.signTypedData({
    domain: {
      name: accepted.extra?.name,
      version: accepted.extra?.version,
      chainId: Number(accepted.network.slice('eip155:'.length)),
      verifyingContract: accepted.asset,
    },
    types: TRANSFER,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  })
  const { resource, extensions } = required
  const payment = {
    x402Version: 2,
    payload: { authorization, signature },
    resource,
    accepted,
    ...(isFields(extensions) && { extensions }),
  }
  return toBase64(utf8(JSON.stringify(payment)))
}

/** The first offer that the wallet can sign, which is the one that the service likes best. */
function chooseOffer(offers: readonly Offer[], { maxMicros, assets }: PaymentLimits): Offer {
  const signable = offers.filter(({ scheme, network, extra }) => {
    const isTransfer = (extra?.assetTransferMethod ?? 'eip3009') === 'eip3009'
    return scheme === 'exact' && network.startsWith('eip155:') && isTransfer && extra?.name && extra.version
  })
  const known = signable.filter(({ asset }) => assets.has(asset.toLowerCase()))
  const offer = known.find(({ amount }) => BigInt(amount) <= maxMicros)
  if (offer) return offer
  const [dearer] = known
  if (dearer)
    throw new PaymentRefusedError(`The call costs more than maxPaymentUsd allows: ${dearer.amount} micros.`, {
      amountMicros: dearer.amount,
      maxMicros: String(maxMicros),
    })
  throw new PaymentRefusedError('None of the offers is in a token that this client pays with: add it to assets.', {
    offered: offers.map(({ network, asset }) => `${network} ${asset}`),
  })
}

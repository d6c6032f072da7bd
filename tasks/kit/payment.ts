/** A token that can be paid with; the domain words are those its contract signs under. */
export interface PaymentAsset {
  symbol: 'USDC' | 'EURC'
  /** In the EIP-55 spelling: some clients compare it as text. */
  address: string
  domainName: string
  domainVersion: string
}

/** The one network a deployment is paid on, and the address that is paid. */
export interface PaymentNetwork {
  caip2: 'eip155:8453' | 'eip155:84532' | 'eip155:31337'
  /** What version 1 of the protocol calls it. */
  v1Name: 'base' | 'base-sepolia'
  chainId: number
  /** USDC first: the offers are made in this order. */
  assets: readonly PaymentAsset[]
  payTo: string
}

export interface Authorization {
  from: string
  to: string
  value: bigint
  validAfter: bigint
  validBefore: bigint
  /** `0x` and 64 hex digits. */
  nonce: string
}

/** A transfer that its payer has signed and anybody may broadcast until it is no longer valid. */
export interface SignedPayment {
  version: 1 | 2
  /** The contract's address in the spelling of `PaymentNetwork.assets`. */
  asset: string
  authorization: Authorization
  /** `0x` and hex digits. */
  signature: string
  /** The whole payload as it came, for the log of a remote facilitator. */
  raw?: unknown
}

export type ChainCheck = { ok: true } | { ok: false; reason: string }

export type Settlement =
  | { status: 'settled'; txHash: string }
  | { status: 'failed'; reason: string }
  /** Broadcast or perhaps broadcast, with no receipt yet: to be looked for, never to be sent anew. */
  | { status: 'unknown'; txHash?: string }

/** Whoever verifies payments and puts them on the chain: our own on viem, or a remote one. */
export interface Facilitator {
  network(): PaymentNetwork
  /** Whether the payer signed this: ECDSA for plain accounts, EIP-1271 and by allow-list ERC-6492 for contracts. */
  verifySignature(payment: SignedPayment): Promise<boolean>
  /** Balance, state of the nonce and a simulated transfer, remembered for a few seconds. */
  checkOnChain(payment: SignedPayment): Promise<ChainCheck>
  /** Broadcasts and waits for the receipt. One at a time a payer is not promised: whoever calls keeps one call a payment. */
  settle(payment: SignedPayment): Promise<Settlement>
  /** What the chain knows of the authorization. */
  find(payment: SignedPayment): Promise<'used' | 'unused' | 'cancelled'>
  /** Whether `address` signed this text (EIP-191; EIP-1271 for contracts). */
  verifyMessage(signed: { address: string; message: string; signature: string }): Promise<boolean>
  /** The addresses that broadcast, for `GET /x402/supported`. */
  signers(): readonly string[]
  close?(): Promise<void>
}

/** A token that can be used for payment. The domain is the EIP-712 domain of its contract. */
export interface PaymentAsset {
  symbol: 'USDC' | 'EURC'
  /** With the EIP-55 checksum in its case, because some clients compare addresses as text. */
  address: string
  domainName: string
  domainVersion: string
}

/** The network on which a deployment is paid, and the address that receives payments. */
export interface PaymentNetwork {
  caip2: 'eip155:8453' | 'eip155:84532' | 'eip155:31337'
  /** Its name in version 1 of the protocol. */
  v1Name: 'base' | 'base-sepolia'
  chainId: number
  /** Payment is offered in this order: USDC first. */
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

/** A transfer that its payer has signed. Anyone may broadcast it until it expires. */
export interface SignedPayment {
  version: 1 | 2
  /** The contract's address, spelled as in `PaymentNetwork.assets`. */
  asset: string
  authorization: Authorization
  /** `0x` and hex digits. */
  signature: string
  /** The payload as it was received, for the log of a remote facilitator. */
  raw?: unknown
}

export type ChainCheck = { ok: true } | { ok: false; reason: string }

export type Settlement =
  | { status: 'settled'; txHash: string }
  | { status: 'failed'; reason: string }
  /** Possibly broadcast, but without a receipt yet: look it up later, never send it again. */
  | { status: 'unknown'; txHash?: string }

export interface AuthorizationTrace {
  /** `used` means that its money has arrived, no matter who broadcast it. */
  state: 'used' | 'unused' | 'cancelled'
  txHash?: string
}

/** Verifies payments and settles them on the chain: our own on viem, or a remote one. */
export interface Facilitator {
  network(): PaymentNetwork
  /** Whether the payer signed this: by ECDSA for plain accounts, by EIP-1271 or allow-listed ERC-6492 for contracts. */
  verifySignature(payment: SignedPayment): Promise<boolean>
  /** Checks balance, nonce and a simulated transfer; the result is cached for a few seconds. */
  checkOnChain(payment: SignedPayment): Promise<ChainCheck>
  /** Broadcasts and waits for the receipt. The caller must make sure that each payment is settled only once. */
  settle(payment: SignedPayment): Promise<Settlement>
  /** The state of the authorization on the chain, and the transaction that spent it. */
  find(payment: SignedPayment): Promise<AuthorizationTrace>
  /** Whether `address` signed this text (EIP-191; EIP-1271 for contracts). */
  verifyMessage(signed: { address: string; message: string; signature: string }): Promise<boolean>
  /** The same of a digest, such as that of typed data (EIP-712). */
  verifyDigest(signed: { address: string; digest: Uint8Array; signature: string }): Promise<boolean>
  /** The addresses that broadcast transactions, for `GET /x402/supported`. */
  signers(): readonly string[]
  close?(): Promise<void>
}

/** A wallet that sends transactions. */
export interface Sender {
  chainId: number
  address: string
}

/** Serializes the processes that send from one wallet. */
export interface SenderQueue {
  /**
   * Runs `work` while no other task sends from this wallet, in this process or another. `work` gets the nonce of the next
   * transaction if one was sent recently, and returns the nonce after its own if it sent one.
   */
  runExclusively<Result>(
    sender: Sender,
    work: (next: number | undefined) => Promise<{ next?: number; result: Result }>,
  ): Promise<Result>
  close(): Promise<void>
}

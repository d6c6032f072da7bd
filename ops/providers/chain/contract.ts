import type { PaymentNetwork } from '#kit'

/** The contract is declared in the kit, because chores settle payments too. */
export type {
  AuthorizationTrace,
  ChainCheck,
  Facilitator,
  PaymentNetwork,
  SenderQueue,
  Settlement,
  SignedPayment,
} from '#kit'

/** What every facilitator needs to know of the chain. */
export interface ChainConnection {
  network: PaymentNetwork
  rpcUrl: string
}

/** A text signed by a wallet, for signing in. */
export interface SignedMessage {
  address: string
  message: string
  signature: string
}

/** A digest signed by a wallet. */
export interface SignedDigest {
  address: string
  digest: Uint8Array
  signature: string
}

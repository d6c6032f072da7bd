import type { AuthMode, KeyMode } from '#kit'

/** An authenticated caller. */
export interface Caller {
  accountId: string
  /** Identifies the credential in rate limits and logs without revealing it. */
  credential: string
  mode: KeyMode
  via: AuthMode | 'connector'
  /** Set for a key; the ledger counts what it spends and checks its limits with each call. */
  keyHash?: Buffer
  /** Set for a connector: what it was approved for, and the address for which its token is. */
  connector?: { scopes: readonly string[]; resource: string }
}
/** What a bearer token resolved to. */
export interface Bearer {
  caller: Caller
  isSuspended: boolean
  /** When it expires. */
  endsAtMs?: number
}

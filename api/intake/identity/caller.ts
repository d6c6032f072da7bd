import type { AuthMode, KeyMode } from '#kit'

/** An authenticated caller. */
export interface Caller {
  accountId: string
  /** Identifies the credential in rate limits and logs without revealing it. */
  credential: string
  mode: KeyMode
  via: AuthMode
  /** Set for a key; the ledger counts what it spends and checks its limits with each call. */
  keyHash?: Buffer
}
/** What a bearer token resolved to. */
export interface Bearer {
  caller: Caller
  isSuspended: boolean
  /** When it expires. */
  endsAtMs?: number
}

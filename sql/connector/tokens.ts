import type { KeyMode } from '#kit'
import { type Db, rows, value } from '../db.ts'

export interface NewTokens {
  accessHash: Buffer
  refreshHash: Buffer
  accessSeconds: number
  refreshSeconds: number
}

/** The scopes of the new tokens, or why there are none. */
export type TokenGrant =
  | { scopes: string[] }
  | { refusal: 'unknown' | 'reused' | 'expired' | 'verifier' | 'redirect' | 'target' | 'scope' }

export function redeemCode(
  db: Db,
  code: Buffer,
  request: { clientId: string; challenge: string; redirectUri: string | undefined; resource: string | undefined },
  tokens: NewTokens,
): Promise<TokenGrant> {
  return value(db, 'select connector.redeem_code($1, $2, $3, $4, $5, $6)', [code, request, ...valuesOf(tokens)])
}

export function refreshTokens(
  db: Db,
  token: Buffer,
  request: { clientId: string; scopes: readonly string[] | undefined; resource: string | undefined },
  tokens: NewTokens,
): Promise<TokenGrant> {
  return value(db, 'select connector.refresh($1, $2, $3, $4, $5, $6)', [token, request, ...valuesOf(tokens)])
}

function valuesOf({ accessHash, refreshHash, accessSeconds, refreshSeconds }: NewTokens): unknown[] {
  return [accessHash, refreshHash, accessSeconds, refreshSeconds]
}

export async function revokeToken(db: Db, hash: Buffer, clientId: string): Promise<void> {
  await value(db, 'select connector.revoke_token($1, $2)', [hash, clientId])
}

interface TokenUse {
  accountId: string
  isSuspended: boolean
  mode: KeyMode
  prefix: string
  keyHash: Buffer
  scopes: string[]
  resource: string
  endsAt: Date
}

/** For whom an access token is; the use is noted. */
export async function useToken(db: Db, hash: Buffer): Promise<TokenUse | undefined> {
  const [row] = await rows<{
    account_id: string
    is_suspended: boolean
    mode: KeyMode
    prefix: string
    key_hash: Buffer
    scopes: string[]
    resource: string
    expires_at: Date
  }>(db, 'select * from connector.use_token($1)', [hash])
  if (!row) return undefined
  const { account_id: accountId, is_suspended: isSuspended, key_hash: keyHash, expires_at: endsAt, ...others } = row
  return { accountId, isSuspended, keyHash, endsAt, ...others }
}

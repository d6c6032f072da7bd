import { type Db, value } from '../db.ts'
import type { Visitor } from './visitor.ts'

/** A token as its baton's owner sees it, without the token itself. */
export interface TokenRecord {
  tokenId: string
  [field: string]: unknown
}

export function mintToken(db: Db, by: Visitor, token: object, max: number): Promise<TokenRecord> {
  return value(db, 'select baton.mint_token($1, $2, $3)', [JSON.stringify(by), JSON.stringify(token), max])
}

export function listTokens(db: Db, by: Visitor): Promise<TokenRecord[]> {
  return value(db, 'select baton.list_tokens($1)', [JSON.stringify(by)])
}

export function changeToken(db: Db, by: Visitor, hash: Buffer, change: object): Promise<TokenRecord> {
  return value(db, 'select baton.change_token($1, $2, $3)', [JSON.stringify(by), hash, JSON.stringify(change)])
}

export function revokeToken(db: Db, by: Visitor, tokenId: string): Promise<TokenRecord> {
  return value(db, 'select baton.revoke_token($1, $2)', [JSON.stringify(by), tokenId])
}

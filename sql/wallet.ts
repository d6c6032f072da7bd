import { type Db, rows, value } from './db.ts'

export interface WalletChallenge {
  address: string
  chainId: number
  domain: string
}

/** Notes what a wallet is asked to sign, and gives the moment until which it may. */
export function noteChallenge(db: Db, nonce: string, challenge: WalletChallenge, minutes: number): Promise<Date> {
  const { address, chainId, domain } = challenge
  return value(db, 'select wallet.challenge($1, $2, $3, $4, $5)', [nonce, address, chainId, domain, minutes])
}

/** Gives back what was asked under a nonce, once. */
export async function takeChallenge(db: Db, nonce: string): Promise<WalletChallenge | undefined> {
  const [row] = await rows<{ address: string; chain_id: bigint; domain: string }>(
    db,
    'select * from wallet.take_challenge($1)',
    [nonce],
  )
  return row && { address: row.address, chainId: Number(row.chain_id), domain: row.domain }
}

export function listWallets(db: Db, accountId: string): Promise<{ address: string; created_at: Date }[]> {
  return rows(db, 'select * from wallet.list($1)', [accountId])
}

/** Joins a wallet to an account and gives what money it brought along. */
export function linkWallet(db: Db, address: string, accountId: string): Promise<bigint> {
  return value(db, 'select wallet.link($1, $2)', [address, accountId])
}

export interface TokenFacts {
  tokenVersion: number
  isTest: boolean
  isSuspended: boolean
}

export async function readTokenFacts(db: Db, accountId: string): Promise<TokenFacts | undefined> {
  const [row] = await rows<{ token_version: number; is_test: boolean; is_suspended: boolean }>(
    db,
    'select * from wallet.token_facts($1)',
    [accountId],
  )
  return row && { tokenVersion: row.token_version, isTest: row.is_test, isSuspended: row.is_suspended }
}

export async function revokeTokens(db: Db, accountId: string): Promise<void> {
  await value(db, 'select wallet.revoke_tokens($1)', [accountId])
}

import { type Db, rows, value } from './db.ts'

interface WalletChallenge {
  address: string
  chainId: number
  domain: string
}

/** Records what a wallet is asked to sign, and returns when the challenge expires. */
export function createChallenge(db: Db, nonce: string, challenge: WalletChallenge, minutes: number): Promise<Date> {
  const { address, chainId, domain } = challenge
  return value(db, 'select wallet.create_challenge($1, $2, $3, $4, $5)', [nonce, address, chainId, domain, minutes])
}

/** Returns the challenge of a nonce and deletes it. */
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

/** Links a wallet to an account and returns the money that it brought along. */
export function linkWallet(db: Db, address: string, accountId: string): Promise<bigint> {
  return value(db, 'select wallet.link($1, $2)', [address, accountId])
}

interface TokenFacts {
  tokenVersion: number
  isTest: boolean
  isSuspended: boolean
}

export async function readTokenFacts(db: Db, accountId: string): Promise<TokenFacts | undefined> {
  return parseFacts(await rows(db, 'select * from wallet.token_facts($1)', [accountId]))
}

interface FactsRow {
  token_version: number
  is_test: boolean
  is_suspended: boolean
}

function parseFacts([row]: FactsRow[]): TokenFacts | undefined {
  return row && { tokenVersion: row.token_version, isTest: row.is_test, isSuspended: row.is_suspended }
}

/** As `readTokenFacts`, for a call with a token of the wallet. */
export async function useToken(db: Db, accountId: string, address: string): Promise<TokenFacts | undefined> {
  return parseFacts(await rows(db, 'select * from wallet.use_token($1, $2)', [accountId, address]))
}

export async function revokeTokens(db: Db, accountId: string): Promise<void> {
  await value(db, 'select wallet.revoke_tokens($1)', [accountId])
}

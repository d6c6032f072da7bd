import { newId } from '#kit'
import { type Db, rows, value } from './db.ts'

export interface SessionOwner {
  accountId: string
  isTest: boolean
  isSuspended: boolean
}

export type Provider = 'email' | 'github' | 'google'

/** Notes a link that signs in once; only its hash is kept. */
export async function offerLink(
  db: Db,
  link: { hash: Buffer; email?: string; accountId?: string; minutes: number },
): Promise<void> {
  const { hash, email, accountId, minutes } = link
  await value(db, 'select session.offer_link($1, $2, $3, $4)', [hash, email ?? null, accountId ?? null, minutes])
}

export function isLink(db: Db, hash: Buffer): Promise<boolean> {
  return value(db, 'select session.is_link($1)', [hash])
}

/** Uses a link up and gives its account; nothing when it was used before or is too old. */
export async function takeLink(db: Db, hash: Buffer, isTest: boolean): Promise<string | undefined> {
  const account = await value<string | null>(db, 'select session.take_link($1, $2, $3)', [hash, newId(), isTest])
  return account ?? undefined
}

/** The account of somebody a provider vouches for; with `signedIn`, an identity that is new joins that account. */
export function accountOf(
  db: Db,
  identity: { provider: Provider; subject: string; email?: string; signedIn?: string; isTest: boolean },
): Promise<string> {
  const { provider, subject, email, signedIn, isTest } = identity
  const values = [provider, subject, email ?? null, signedIn ?? null, newId(), isTest]
  return value(db, 'select session.account_of($1, $2, $3, $4, $5, $6)', values)
}

export interface Identity {
  provider: Provider
  subject: string
  email: string | null
}

/** By what somebody signs in to an account, wallets apart. */
export function listIdentities(db: Db, accountId: string): Promise<Identity[]> {
  return rows(db, 'select * from session.identities($1)', [accountId])
}

export async function openSession(db: Db, hash: Buffer, accountId: string, former: Buffer | undefined): Promise<void> {
  await value(db, 'select session.open($1, $2, $3)', [hash, accountId, former ?? null])
}

export async function findSession(db: Db, hash: Buffer): Promise<SessionOwner | undefined> {
  const [row] = await rows<{ account_id: string; is_test: boolean; is_suspended: boolean }>(
    db,
    'select * from session.find($1)',
    [hash],
  )
  return row && { accountId: row.account_id, isTest: row.is_test, isSuspended: row.is_suspended }
}

export async function closeSession(db: Db, hash: Buffer): Promise<void> {
  await value(db, 'select session.close($1)', [hash])
}

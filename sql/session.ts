import { newId } from '#kit'
import { type Db, rows, value } from './db.ts'

interface SessionOwner {
  accountId: string
  isTest: boolean
  isSuspended: boolean
  /** The operator who sees the pages of the account, and can change nothing. */
  operator?: string
}

type Provider = 'email' | 'github' | 'google'

/** Stores the hash of a link that signs in once. */
export async function createLink(
  db: Db,
  link: { hash: Buffer; email?: string; accountId?: string; minutes: number },
): Promise<void> {
  const { hash, email, accountId, minutes } = link
  await value(db, 'select session.create_link($1, $2, $3, $4)', [hash, email ?? null, accountId ?? null, minutes])
}

export function isLinkValid(db: Db, hash: Buffer): Promise<boolean> {
  return value(db, 'select session.is_link_valid($1)', [hash])
}

/** Uses a link up and returns its account; undefined if it was used before or has expired. */
export async function useLink(db: Db, hash: Buffer, isTest: boolean): Promise<string | undefined> {
  const account = await value<string | null>(db, 'select session.use_link($1, $2, $3)', [hash, newId(), isTest])
  return account ?? undefined
}

/** Returns the account of an identity that a provider confirmed. A new identity joins the account `signedIn`, if given. */
export function findOrCreateAccount(
  db: Db,
  identity: { provider: Provider; subject: string; email?: string; signedIn?: string; isTest: boolean },
): Promise<string> {
  const { provider, subject, email, signedIn, isTest } = identity
  const values = [provider, subject, email ?? null, signedIn ?? null, newId(), isTest]
  return value(db, 'select session.find_or_create_account($1, $2, $3, $4, $5, $6)', values)
}

export interface Identity {
  provider: Provider
  subject: string
  email: string | null
}

/** The identities that sign in to an account, without its wallets. */
export function listIdentities(db: Db, accountId: string): Promise<Identity[]> {
  return rows(db, 'select * from session.list_identities($1)', [accountId])
}

/** Returns whether the account was signed in to before. */
export function startSession(db: Db, hash: Buffer, accountId: string, former: Buffer | undefined): Promise<boolean> {
  return value(db, 'select session.start($1, $2, $3)', [hash, accountId, former ?? null])
}

export async function findSession(db: Db, hash: Buffer): Promise<SessionOwner | undefined> {
  const [row] = await rows<{ account_id: string; is_test: boolean; is_suspended: boolean; operator: string | null }>(
    db,
    'select * from session.look_up($1)',
    [hash],
  )
  if (!row) return undefined
  const { account_id: accountId, is_test: isTest, is_suspended: isSuspended, operator } = row
  return { accountId, isTest, isSuspended, ...(operator !== null && { operator }) }
}

/** Whose pages a link shows to which operator; undefined if it serves no more. */
export async function findViewLink(db: Db, hash: Buffer): Promise<{ accountId: string; operator: string } | undefined> {
  const [row] = await rows<{ account_id: string; operator: string }>(db, 'select * from session.find_view_link($1)', [
    hash,
  ])
  return row && { accountId: row.account_id, operator: row.operator }
}

/** Uses such a link up and opens a session that can change nothing; false if it was used before or has expired. */
export function startView(db: Db, link: Buffer, hash: Buffer): Promise<boolean> {
  return value(db, 'select session.start_view($1, $2)', [link, hash])
}

export async function closeSession(db: Db, hash: Buffer): Promise<void> {
  await value(db, 'select session.close($1)', [hash])
}

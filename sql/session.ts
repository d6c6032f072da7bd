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

/** An account that is about to be signed in to, and by what: a kind and an address or subject; null for a link of an operator. */
export interface SignedIn {
  accountId: string
  openedBy: string | null
}

/** Uses a link up and returns its account; undefined if it was used before or has expired. */
export async function useLink(db: Db, hash: Buffer, isTest: boolean): Promise<SignedIn | undefined> {
  const [row] = await rows<{ account_id: string; opened_by: string | null }>(
    db,
    'select * from session.redeem_link($1, $2, $3)',
    [hash, newId(), isTest],
  )
  return row && { accountId: row.account_id, openedBy: row.opened_by }
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

/** What signs in to an account. */
export interface SignIn {
  id: string
  kind: 'wallet' | Provider
  name: string
  masked: string
  linkedAt: Date
  lastUsedAt: Date | null
}

export async function listSignIns(db: Db, accountId: string): Promise<SignIn[]> {
  const found = await rows<Omit<SignIn, 'linkedAt' | 'lastUsedAt'> & { linked_at: Date; used_at: Date | null }>(
    db,
    'select id, kind, name, masked, linked_at, used_at from session.list_sign_ins($1)',
    [accountId],
  )
  return found.map(({ linked_at: linkedAt, used_at: lastUsedAt, ...rest }) => ({ ...rest, linkedAt, lastUsedAt }))
}

/**
 * Unlinks what signs in to an account. The last of the `usableKinds` stays. `acting` is the hash of the session that does it.
 * Throws NOT_FOUND, LAST_SIGN_IN or SIGN_IN_TOO_NEW.
 */
export async function removeSignIn(
  db: Db,
  removal: { accountId: string; id: string; usableKinds: string[]; actor: string; acting: Buffer | undefined },
): Promise<void> {
  const { accountId, id, usableKinds, actor, acting = null } = removal
  await value(db, 'select session.remove_sign_in($1, $2, $3, $4, $5)', [accountId, id, usableKinds, actor, acting])
}

/** Notes that an account was signed in to; false if what it was signed in by is not linked any more. */
export function noteSignIn(db: Db, { accountId, openedBy }: SignedIn): Promise<boolean> {
  return value(db, 'select session.note_use($1, $2)', [accountId, openedBy])
}

/** Returns whether the account was signed in to before. */
export function startSession(
  db: Db,
  hash: Buffer,
  { accountId, openedBy }: SignedIn,
  former?: Buffer,
): Promise<boolean> {
  return value(db, 'select session.start($1, $2, $3, $4)', [hash, accountId, former ?? null, openedBy])
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

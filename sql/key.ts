import { type KeyMode, keyPrefix, newApiKey } from '#kit'
import { type Db, rows, value } from './db.ts'

interface KeyOwner {
  accountId: string
  prefix: string
  mode: KeyMode
  isSuspended: boolean
}

/** A key as its owner sees it: everything but the key. */
export interface KeyWithLimits {
  prefix: string
  name: string | null
  mode: KeyMode
  createdAt: string
  /** To the minute. */
  lastUsedAt: string | null
  /** Set for a key that was replaced and still works until then. */
  endsAt: string | null
  callCapMicros: string | null
  dailyCapMicros: string | null
  spentTodayMicros: string
}

interface NewKey {
  accountId: string
  mode: KeyMode
  hash: (key: string) => Buffer
  name?: string | null
  callCapMicros?: bigint | null
  dailyCapMicros?: bigint | null
}

/** Creates a key and stores only its keyed hash; the key itself is in the answer and nowhere else. */
export async function createKey(db: Db, options: NewKey): Promise<string> {
  const { accountId, mode, hash, name = null, callCapMicros = null, dailyCapMicros = null } = options
  const key = newApiKey(mode)
  const values = [hash(key), keyPrefix(key), mode, accountId, name, callCapMicros, dailyCapMicros]
  await value(db, 'select key.create($1, $2, $3, $4, $5, $6, $7)', values)
  return key
}

export async function findKeyOwner(db: Db, hash: Buffer): Promise<KeyOwner | undefined> {
  const [row] = await rows<{
    account_id: string
    prefix: string
    mode: KeyMode
    is_suspended: boolean
  }>(db, 'select * from key.find_owner($1)', [hash])
  if (!row) return undefined
  const { account_id: accountId, prefix, mode, is_suspended: isSuspended } = row
  return { accountId, prefix, mode, isSuspended }
}

/** The owner of a key with which a call is made; the use is noted. */
export async function useKey(db: Db, hash: Buffer): Promise<(KeyOwner & { endsAt: Date | null }) | undefined> {
  const [row] = await rows<{
    account_id: string
    prefix: string
    mode: KeyMode
    is_suspended: boolean
    ends_at: Date | null
  }>(db, 'select * from key.use($1)', [hash])
  if (!row) return undefined
  const { account_id: accountId, prefix, mode, is_suspended: isSuspended, ends_at: endsAt } = row
  return { accountId, prefix, mode, isSuspended, endsAt }
}

export async function revokeKey(db: Db, accountId: string, prefix: string): Promise<void> {
  await value(db, 'select key.revoke($1, $2)', [accountId, prefix])
}

export function showKeys(db: Db, accountId: string): Promise<KeyWithLimits[]> {
  return value(db, 'select key.show($1)', [accountId])
}

/** All keys that the account ever had, without their limits. */
export async function listKeyNames(
  db: Db,
  accountId: string,
): Promise<{ prefix: string; name: string | null; isValid: boolean }[]> {
  const found = await rows<{ prefix: string; name: string | null; is_valid: boolean }>(
    db,
    'select * from key.list_names($1)',
    [accountId],
  )
  return found.map(({ prefix, name, is_valid: isValid }) => ({ prefix, name, isValid }))
}

/**
 * Replaces the key with the prefix `former`, or creates a first key if the account has none. The former key works on for
 * `graceHours`.
 */
export async function rotateKey(
  db: Db,
  options: {
    accountId: string
    former: string | undefined
    graceHours?: number
    mode: KeyMode
    hash: (key: string) => Buffer
  },
): Promise<string> {
  const { accountId, former = null, graceHours = 0, mode, hash } = options
  const key = newApiKey(mode)
  const values = [accountId, former, hash(key), keyPrefix(key), mode, graceHours]
  await value(db, 'select key.rotate($1, $2, $3, $4, $5, $6)', values)
  return key
}

export async function dropKey(db: Db, accountId: string, prefix: string): Promise<void> {
  await value(db, 'select key.drop($1, $2)', [accountId, prefix])
}

/** Throws FORBIDDEN for a key with limits. */
export async function requireUnlimitedKey(db: Db, hash: Buffer): Promise<void> {
  await value(db, 'select key.require_unlimited($1)', [hash])
}

/** What may be changed about a key. A limit is in micros, per call and per UTC day; null means none. */
export interface KeyChange {
  name?: string | null
  callCapMicros?: bigint | null
  dailyCapMicros?: bigint | null
}

export async function changeKey(
  db: Db,
  { accountId, prefix }: { accountId: string; prefix: string },
  change: KeyChange,
): Promise<void> {
  const json = JSON.stringify(change, (_name, item: unknown) => (typeof item === 'bigint' ? item.toString() : item))
  await value(db, 'select key.change($1, $2, $3)', [accountId, prefix, json])
}

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
  mode: KeyMode
  createdAt: string
  callCapMicros: string | null
  dailyCapMicros: string | null
  spentTodayMicros: string
}

/** Creates a key and stores only its keyed hash; the key itself is in the answer and nowhere else. */
export async function createKey(
  db: Db,
  options: { accountId: string; mode: KeyMode; hash: (key: string) => Buffer },
): Promise<string> {
  const key = newApiKey(options.mode)
  await value(db, 'select key.create($1, $2, $3, $4)', [
    options.hash(key),
    keyPrefix(key),
    options.mode,
    options.accountId,
  ])
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

export function listKeys(db: Db, accountId: string): Promise<{ prefix: string; mode: KeyMode; created_at: Date }[]> {
  return rows(db, 'select * from key.list($1)', [accountId])
}

export async function revokeKey(db: Db, accountId: string, prefix: string): Promise<void> {
  await value(db, 'select key.revoke($1, $2)', [accountId, prefix])
}

export function showKeys(db: Db, accountId: string): Promise<KeyWithLimits[]> {
  return value(db, 'select key.show($1)', [accountId])
}

/** Replaces the key with the prefix `former`, or creates a first key if the account has none. */
export async function rotateKey(
  db: Db,
  options: { accountId: string; former: string | undefined; mode: KeyMode; hash: (key: string) => Buffer },
): Promise<string> {
  const key = newApiKey(options.mode)
  const values = [options.accountId, options.former ?? null, options.hash(key), keyPrefix(key), options.mode]
  await value(db, 'select key.rotate($1, $2, $3, $4, $5)', values)
  return key
}

export async function dropKey(db: Db, accountId: string, prefix: string): Promise<void> {
  await value(db, 'select key.drop($1, $2)', [accountId, prefix])
}

/** Sets how much a key may spend per call and per UTC day; null means no limit. */
export async function limitKey(
  db: Db,
  key: { accountId: string; prefix: string; callCapMicros: bigint | null; dailyCapMicros: bigint | null },
): Promise<void> {
  await value(db, 'select key.limit($1, $2, $3, $4)', [
    key.accountId,
    key.prefix,
    key.callCapMicros,
    key.dailyCapMicros,
  ])
}

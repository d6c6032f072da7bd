import { type KeyMode, keyPrefix, newApiKey } from '#kit'
import { type Db, rows, value } from './db.ts'

export interface KeyOwner {
  accountId: string
  prefix: string
  mode: KeyMode
  isSuspended: boolean
}

/** Mints a key and keeps only its keyed hash; the key itself exists nowhere but in the answer. */
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

export async function findKey(db: Db, hash: Buffer): Promise<KeyOwner | undefined> {
  const [row] = await rows<{ account_id: string; prefix: string; mode: KeyMode; is_suspended: boolean }>(
    db,
    'select * from key.find($1)',
    [hash],
  )
  return row && { accountId: row.account_id, prefix: row.prefix, mode: row.mode, isSuspended: row.is_suspended }
}

export function listKeys(db: Db, accountId: string): Promise<{ prefix: string; mode: KeyMode; created_at: Date }[]> {
  return rows(db, 'select * from key.list($1)', [accountId])
}

export async function revokeKey(db: Db, accountId: string, prefix: string): Promise<void> {
  await value(db, 'select key.revoke($1, $2)', [accountId, prefix])
}

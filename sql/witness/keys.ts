import { type Db, value } from '../db.ts'

/** A signing key, with its private part encrypted. */
export interface StoredKey {
  kid: string
  x: string
  sealed: string
  createdAt: string
  /** Null for the key that signs now. */
  retiredAt: string | null
}

type NewKey = Pick<StoredKey, 'kid' | 'x' | 'sealed'>

export function listKeys(db: Db): Promise<StoredKey[]> {
  return value(db, 'select witness.list_keys()')
}

export function readCurrentKey(db: Db): Promise<StoredKey | null> {
  return value(db, 'select witness.current_key()')
}

/** Adds a key unless there is one. Returns the one that signs then. */
export function addFirstKey(db: Db, { kid, x, sealed }: NewKey): Promise<StoredKey> {
  return value(db, 'select witness.add_first_key($1, $2, $3)', [kid, x, sealed])
}

/** Makes another key the current one; null if that key was here before. */
export function replaceKey(db: Db, { kid, x, sealed }: NewKey): Promise<StoredKey | null> {
  return value(db, 'select witness.replace_key($1, $2, $3)', [kid, x, sealed])
}

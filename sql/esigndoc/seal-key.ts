import { type Db, value } from '../db.ts'

/** A key that seals documents, with its private parts encrypted. Certificates are PEM. */
export interface StoredSealKey {
  kid: string
  certificate: string
  sealed: string
  root: string
  sealedRoot: string
}

export function readCurrentSealKey(db: Db): Promise<StoredSealKey | null> {
  return value(db, 'select esigndoc.current_seal_key()')
}

/** The roots of all keys that have ever sealed here, as PEM. */
export function listSealRoots(db: Db): Promise<string[]> {
  return value(db, 'select esigndoc.list_seal_roots()')
}

/** Replaces the key `old`, or adds the first. Returns the one that seals then, which another process may have made. */
export function replaceSealKey(db: Db, old: string | null, key: StoredSealKey): Promise<StoredSealKey> {
  const { kid, certificate, sealed, root, sealedRoot } = key
  const values = [old, kid, certificate, sealed, root, sealedRoot]
  return value(db, 'select esigndoc.replace_seal_key($1, $2, $3, $4, $5, $6)', values)
}

import { Problem } from '#kit'
import type { Db } from '../../../sql/db.ts'
import { addFirstKey, listKeys, readCurrentKey, replaceKey, type StoredKey } from '../../../sql/witness/index.ts'
import {
  newSigningKey,
  parseSigningKey,
  publicJwk,
  type SigningKey,
  writeSigningKey,
} from '../../../tasks/products/witness/index.ts'
import { seal, unseal } from '../../secrets.ts'

/** The key that signs now. It is read each time, so that a rotation takes effect at once on all hosts. */
export async function openSigningKey(db: Db, secret: string): Promise<SigningKey> {
  const stored = (await readCurrentKey(db)) ?? (await makeFirstKey(db, secret))
  return unsealKey(secret, stored)
}

/** All hosts share one key. Several may try to make the first; one does. */
function makeFirstKey(db: Db, secret: string): Promise<StoredKey> {
  return addFirstKey(db, sealKey(secret, newSigningKey()))
}

/** Replaces the key by a new one, or by one of the operator's own. */
export async function rotateSigningKey(db: Db, secret: string, imported?: string): Promise<StoredKey> {
  const key = imported === undefined ? newSigningKey() : parseSigningKey(imported)
  const current = await replaceKey(db, sealKey(secret, key))
  if (!current) throw new RangeError('This key was used here before; a retired key cannot come back.')
  return current
}

/** All public keys, as they are published; a record that a retired key signed later than its end is forged. */
export async function buildKeySet(db: Db, secret: string) {
  const keys = await listOrMakeKeys(db, secret)
  return {
    keys: keys.map(({ retiredAt, ...key }) => ({
      ...toJwk(key),
      ...(retiredAt !== null && { svc_not_after: new Date(retiredAt).toISOString() }),
    })),
  }
}

/** The same keys, each with the time from which and until which it has signed. */
export async function listServiceKeys(db: Db, secret: string) {
  const keys = await listOrMakeKeys(db, secret)
  return keys.map(({ createdAt, retiredAt, ...key }) => ({
    ...toJwk(key),
    validFrom: new Date(createdAt).toISOString(),
    validTo: retiredAt === null ? null : new Date(retiredAt).toISOString(),
  }))
}

async function listOrMakeKeys(db: Db, secret: string): Promise<StoredKey[]> {
  const found = await listKeys(db)
  return found.length > 0 ? found : [await makeFirstKey(db, secret)]
}

function toJwk({ kid, x }: Pick<StoredKey, 'kid' | 'x'>) {
  return { ...publicJwk(x), kid, alg: 'EdDSA', use: 'sig' }
}

function sealKey(secret: string, key: SigningKey) {
  return { kid: key.kid, x: key.x, sealed: seal(secret, writeSigningKey(key), key.kid) }
}

function unsealKey(secret: string, { kid, sealed }: StoredKey): SigningKey {
  try {
    return parseSigningKey(unseal(secret, sealed, kid))
  } catch {
    const reason = 'The key was stored under another SECRET; its operator can make a new one.'
    throw new Problem('witness_key_not_configured', { reason })
  }
}

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { Db } from '../../../sql/db.ts'
import { readCurrentSealKey, replaceSealKey, type StoredSealKey } from '../../../sql/esigndoc/index.ts'
import type { Config } from '../../config.ts'
import { seal, unseal } from '../../secrets.ts'
import { type CertifiedKey, createLeaf, createRoot } from './certificate.ts'

const RENEW_DAYS = 60

/** The key that seals now, with its root. It is made at its first use, and a new one before it ends. */
export async function openSealKey(
  db: Db,
  config: Pick<Config, 'secret' | 'publicUrl'>,
  now: Date,
): Promise<{ leaf: CertifiedKey; root: X509Certificate }> {
  const stored = await readCurrentSealKey(db)
  const current = stored ?? (await makeKey(db, config, undefined, now))
  const opened = openStored(current, config.secret)
  if (!isEnding(opened.leaf.certificate, now)) return opened
  return openStored(await makeKey(db, config, current, now), config.secret)
}

function isEnding({ validToDate }: X509Certificate, now: Date): boolean {
  return validToDate.getTime() - now.getTime() < RENEW_DAYS * 86_400_000
}

/** A new key keeps the root, unless that ends before the key would. */
async function makeKey(
  db: Db,
  { secret, publicUrl }: Pick<Config, 'secret' | 'publicUrl'>,
  old: StoredSealKey | undefined,
  now: Date,
): Promise<StoredSealKey> {
  const { host } = new URL(publicUrl)
  const kept = old && openRoot(old, secret)
  const root = kept && !isEnding(kept.certificate, addYears(now, 5)) ? kept : await createRoot(host, now)
  const leaf = await createLeaf(host, root, now)
  const kid = leaf.certificate.fingerprint256.replaceAll(':', '').toLowerCase()
  return replaceSealKey(db, old?.kid ?? null, {
    kid,
    certificate: leaf.certificate.toString(),
    sealed: seal(secret, exportKey(leaf.key), kid),
    root: root.certificate.toString(),
    sealedRoot: seal(secret, exportKey(root.key), `${kid} root`),
  })
}

function addYears(date: Date, years: number): Date {
  const later = new Date(date)
  later.setUTCFullYear(later.getUTCFullYear() + years)
  return later
}

function exportKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}

function openStored({ kid, certificate, sealed, root }: StoredSealKey, secret: string) {
  const key = createPrivateKey(unsealKey(secret, sealed, kid))
  return { leaf: { key, certificate: new X509Certificate(certificate) }, root: new X509Certificate(root) }
}

function openRoot({ kid, root, sealedRoot }: StoredSealKey, secret: string): CertifiedKey {
  const key = createPrivateKey(unsealKey(secret, sealedRoot, `${kid} root`))
  return { key, certificate: new X509Certificate(root) }
}

function unsealKey(secret: string, sealed: string, owner: string): string {
  try {
    return unseal(secret, sealed, owner)
  } catch {
    throw new Error('The key that seals documents was stored under another SECRET; start the service with that one.')
  }
}

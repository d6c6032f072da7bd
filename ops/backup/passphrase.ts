import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'
import { DamagedManifest } from './errors.ts'

const KEY_BYTES = 32
const TAG_BYTES = 16
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 2 ** 20 }

const derive = promisify<string, Buffer, number, typeof SCRYPT, Buffer>(scrypt)

/** The key of all backups in a place, encrypted with what follows from the passphrase of the operator. */
export interface KeyEnvelope {
  salt: string
  nonce: string
  sealed: string
}

/** Makes a new key. */
export async function createMasterKey(passphrase: string): Promise<{ master: Buffer; envelope: KeyEnvelope }> {
  const [master, salt, nonce] = [randomBytes(KEY_BYTES), randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', await derive(passphrase, salt, KEY_BYTES, SCRYPT), nonce)
  const sealed = Buffer.concat([cipher.update(master), cipher.final(), cipher.getAuthTag()])
  const [saltText, nonceText, sealedText] = [salt, nonce, sealed].map(bytes => bytes.toString('base64url'))
  return { master, envelope: { salt: saltText!, nonce: nonceText!, sealed: sealedText! } }
}

export async function openMasterKey(passphrase: string, envelope: KeyEnvelope): Promise<Buffer> {
  try {
    const [salt, nonce, sealed] = [envelope.salt, envelope.nonce, envelope.sealed].map(text =>
      Buffer.from(text, 'base64url'),
    ) as [Buffer, Buffer, Buffer]
    const key = await derive(passphrase, salt, KEY_BYTES, SCRYPT)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    throw new DamagedManifest(
      'BACKUP_KEY is not the passphrase with which the backup was made, or its manifest is damaged.',
      true,
    )
  }
}

/** The key of one purpose. */
export function deriveSubkey(master: Buffer, salt: Buffer, purpose: 'part' | 'manifest'): Buffer {
  return Buffer.from(hkdfSync('sha256', master, salt, `coinop backup ${purpose}`, KEY_BYTES))
}

export function signManifest(master: Buffer, text: string): string {
  const key = deriveSubkey(master, Buffer.alloc(0), 'manifest')
  return createHmac('sha256', key).update(text).digest('base64url')
}

export function isManifestSignature(master: Buffer, text: string, signature: unknown): boolean {
  const [wanted, found] = [signManifest(master, text), String(signature)].map(each => Buffer.from(each))
  return wanted!.length === found!.length && timingSafeEqual(wanted!, found!)
}

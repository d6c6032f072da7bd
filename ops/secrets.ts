import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from './data-folder.ts'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SEAL_VERSION = 'v1.'

const derivedKeys = new Map<string, Buffer>()

/** Derives a separate key for each purpose, so that a key leaked from one part is useless for another. */
export function deriveKey(secret: string, purpose: string): Buffer {
  const name = `${purpose}\0${secret}`
  let key = derivedKeys.get(name)
  if (!key) {
    key = Buffer.from(hkdfSync('sha256', secret, 'coinop', purpose, KEY_BYTES))
    derivedKeys.set(name, key)
  }
  return key
}

/** The hash under which an API key is stored. The key has 128 random bits, so a fast keyed hash is enough. */
export function hashApiKey(secret: string, key: string): Buffer {
  return createHmac('sha256', deriveKey(secret, 'api-key')).update(key).digest()
}

/** The hash of a random token that is never stored itself: a session, a sign-in link, a form token. */
export function hashToken(secret: string, purpose: string, token: string): Buffer {
  return createHmac('sha256', deriveKey(secret, purpose)).update(token).digest()
}

/** Encrypts `text`. Decryption needs the same `aad`, the owner's id, so a sealed value cannot move to another row. */
export function seal(secret: string, text: string, aad: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secret, 'seal'), nonce).setAAD(Buffer.from(aad))
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return SEAL_VERSION + sealed.toString('base64url')
}

export function unseal(secret: string, sealed: string, aad: string): string {
  if (!sealed.startsWith(SEAL_VERSION)) throw new Error('not a sealed value of a known version')
  const bytes = Buffer.from(sealed.slice(SEAL_VERSION.length), 'base64url')
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('the sealed value is cut short')
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(secret, 'seal'), bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(aad))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}

/**
 * The secret in the data folder, created by the first process that asks. It is written to a draft and then linked, so
 * that of several processes that start at once one wins and none reads a half-written file.
 */
export function readOrCreateSecret(dataDir: string): string {
  return readOrCreateSecretFile(dataDir, 'secret')
}

export function readOrCreateSecretFile(dataDir: string, name: string): string {
  const path = join(dataDir, name)
  const found = readSecretFile(path)
  if (found) return found
  createFolder(dataDir)
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readSecretFile(path)!
}

function readSecretFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

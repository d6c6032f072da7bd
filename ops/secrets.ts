import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SEAL_VERSION = 'v1.'

const derivedKeys = new Map<string, Buffer>()

/** A key of its own for each purpose, so that what one part of the house holds is of no use to another. */
export function deriveKey(secret: string, purpose: string): Buffer {
  const name = `${purpose}\0${secret}`
  let key = derivedKeys.get(name)
  if (!key) {
    key = Buffer.from(hkdfSync('sha256', secret, 'coinop', purpose, KEY_BYTES))
    derivedKeys.set(name, key)
  }
  return key
}

/** What is stored of an API key. The key has 128 random bits, so a fast keyed hash is enough. */
export function hashApiKey(secret: string, key: string): Buffer {
  return createHmac('sha256', deriveKey(secret, 'api-key')).update(key).digest()
}

/** What is stored of, or derived from, a random word that is kept nowhere: a session, a link, a form's token. */
export function hashWord(secret: string, purpose: string, word: string): Buffer {
  return createHmac('sha256', deriveKey(secret, purpose)).update(word).digest()
}

/** Encrypts `text`; only the same `aad` (whose it is) opens it, so that a sealed value cannot be moved to another row. */
export function seal(secret: string, text: string, aad: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secret, 'seal'), nonce).setAAD(Buffer.from(aad))
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return SEAL_VERSION + sealed.toString('base64url')
}

export function open(secret: string, sealed: string, aad: string): string {
  if (!sealed.startsWith(SEAL_VERSION)) throw new Error('not a sealed value of a known version')
  const bytes = Buffer.from(sealed.slice(SEAL_VERSION.length), 'base64url')
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('the sealed value is cut short')
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(secret, 'seal'), bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(aad))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}

/**
 * The secret kept in the data folder, minted by whoever asks first. It is written aside and then linked, so that of
 * several processes that start at once one wins and none reads a half-written file.
 */
export function mintedSecret(dataDir: string): string {
  return mintedWord(dataDir, 'secret')
}

export function mintedWord(dataDir: string, name: string): string {
  const path = join(dataDir, name)
  const found = readWord(path)
  if (found) return found
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readWord(path)!
}

function readWord(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

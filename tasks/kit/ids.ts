import { randomBytes, randomFillSync } from 'node:crypto'

const randomPool = Buffer.alloc(4096)
let usedBytes = randomPool.length

function takeTenRandomBytes(): Buffer {
  if (usedBytes + 10 > randomPool.length) {
    randomFillSync(randomPool)
    usedBytes = 0
  }
  usedBytes += 10
  return randomPool.subarray(usedBytes - 10, usedBytes)
}

/** A version 7 UUID. It is ordered by time, so that rows of the same moment lie together in an index. */
export function newId(nowMs: number = Date.now()): string {
  const time = Math.floor(nowMs).toString(16).padStart(12, '0')
  const random = takeTenRandomBytes()
  random[0] = (random[0]! & 0x0f) | 0x70
  random[2] = (random[2]! & 0x3f) | 0x80
  const hex = random.toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8)}`
}

/** The neutral prefix of API keys, cookies and other names on the wire. */
export const ID_PREFIX = 'svc'

export type KeyMode = 'live' | 'test'

export function newApiKey(mode: KeyMode): string {
  return `${ID_PREFIX}_${mode}_${randomBytes(16).toString('hex')}`
}

const API_KEY = new RegExp(`^${ID_PREFIX}_(live|test)_[0-9a-f]{32}$`)

export function isApiKey(text: string): boolean {
  return API_KEY.test(text)
}

const TOKEN_BYTES = 32

/** A token that whoever holds it may use: 43 characters of randomness after a prefix that tells its kind. */
export function mintToken(prefix: string): string {
  return prefix + randomBytes(TOKEN_BYTES).toString('base64url')
}

export function hasTokenForm(prefix: string, text: string): boolean {
  return text.startsWith(prefix) && /^[\w-]{43}$/.test(text.slice(prefix.length))
}

/** The part of a key that may be shown: enough to tell keys apart, too little to make calls. */
export function keyPrefix(key: string): string {
  return key.slice(0, `${ID_PREFIX}_live_`.length + 8)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return UUID.test(text)
}

import { type Cipheriv, createCipheriv, createHmac, type Hmac, pbkdf2Sync } from 'node:crypto'

const PBKDF2_ITERATIONS = 1000
const BLOCK_BYTES = 16
export const MAC_BYTES = 10

/** By key strength. */
export const SALT_BYTES: Record<number, number> = { 1: 8, 2: 12, 3: 16 }

/** AES as defined by WinZip: counter mode with a little-endian counter, authenticated by a truncated HMAC-SHA1. */
export class ZipAes {
  /** Stored in the file to detect most wrong passwords. */
  readonly passwordCheck: Buffer
  readonly #cipher: Cipheriv
  readonly #hmac: Hmac
  #counter = 1
  #keystream = Buffer.alloc(0)
  #usedBytes = 0

  constructor(password: string, salt: Uint8Array, strength: number) {
    const keyBytes = 8 + strength * 8
    const keys = pbkdf2Sync(password, salt, PBKDF2_ITERATIONS, keyBytes * 2 + 2, 'sha1')
    this.passwordCheck = keys.subarray(keyBytes * 2)
    this.#hmac = createHmac('sha1', keys.subarray(keyBytes, keyBytes * 2))
    this.#cipher = createCipheriv(`aes-${keyBytes * 8}-ecb`, keys.subarray(0, keyBytes), null).setAutoPadding(false)
  }

  encrypt(data: Uint8Array): Buffer {
    const encrypted = this.#applyKeystream(data)
    this.#hmac.update(encrypted)
    return encrypted
  }

  decrypt(data: Uint8Array): Buffer {
    this.#hmac.update(data)
    return this.#applyKeystream(data)
  }

  authenticationCode(): Buffer {
    return this.#hmac.digest().subarray(0, MAC_BYTES)
  }

  #applyKeystream(data: Uint8Array): Buffer {
    const output = Buffer.allocUnsafe(data.length)
    for (let index = 0; index < data.length; index++) {
      if (this.#usedBytes === this.#keystream.length) this.#refillKeystream(data.length - index)
      output[index] = data[index]! ^ this.#keystream[this.#usedBytes++]!
    }
    return output
  }

  #refillKeystream(neededBytes: number): void {
    const blocks = Math.min(4096, Math.ceil(neededBytes / BLOCK_BYTES))
    const counters = Buffer.alloc(blocks * BLOCK_BYTES)
    for (let block = 0; block < blocks; block++) counters.writeUInt32LE(this.#counter++, block * BLOCK_BYTES)
    this.#keystream = this.#cipher.update(counters)
    this.#usedBytes = 0
  }
}

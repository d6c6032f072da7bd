import { type Cipheriv, createCipheriv, createHmac, type Hmac, pbkdf2Sync } from 'node:crypto'

const ROUNDS = 1000
const BLOCK = 16
export const MAC_BYTES = 10

/** Salt, and what tells a right password from most wrong ones. */
export const SALT_BYTES: Record<number, number> = { 1: 8, 2: 12, 3: 16 }

/** AES as WinZip defines it: counter mode with the counter's lowest byte first, and a signature over the result. */
export class ZipAes {
  readonly check: Buffer
  private readonly cipher: Cipheriv
  private readonly hmac: Hmac
  private counter = 1
  private key = Buffer.alloc(0)
  private used = 0

  constructor(password: string, salt: Uint8Array, strength: number) {
    const bytes = 8 + strength * 8
    const keys = pbkdf2Sync(password, salt, ROUNDS, bytes * 2 + 2, 'sha1')
    this.check = keys.subarray(bytes * 2)
    this.hmac = createHmac('sha1', keys.subarray(bytes, bytes * 2))
    this.cipher = createCipheriv(`aes-${bytes * 8}-ecb`, keys.subarray(0, bytes), null).setAutoPadding(false)
  }

  encrypt(data: Uint8Array): Buffer {
    const sealed = this.mix(data)
    this.hmac.update(sealed)
    return sealed
  }

  decrypt(data: Uint8Array): Buffer {
    this.hmac.update(data)
    return this.mix(data)
  }

  signature(): Buffer {
    return this.hmac.digest().subarray(0, MAC_BYTES)
  }

  private mix(data: Uint8Array): Buffer {
    const mixed = Buffer.allocUnsafe(data.length)
    for (let at = 0; at < data.length; at++) {
      if (this.used === this.key.length) this.refill(data.length - at)
      mixed[at] = data[at]! ^ this.key[this.used++]!
    }
    return mixed
  }

  private refill(needed: number): void {
    const blocks = Math.min(4096, Math.ceil(needed / BLOCK))
    const counters = Buffer.alloc(blocks * BLOCK)
    for (let block = 0; block < blocks; block++) counters.writeUInt32LE(this.counter++, block * BLOCK)
    this.key = this.cipher.update(counters)
    this.used = 0
  }
}

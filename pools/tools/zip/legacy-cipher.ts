const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function updateCrc(sum: number, byte: number): number {
  return (sum >>> 8) ^ CRC_TABLE[(sum ^ byte) & 0xff]!
}

/** The original PKZIP cipher: supported for reading only, because archives that use it are still common. */
export class ZipCrypto {
  #key0 = 0x12345678
  #key1 = 0x23456789
  #key2 = 0x34567890

  constructor(password: Uint8Array) {
    for (const byte of password) this.#updateKeys(byte)
  }

  decrypt(data: Uint8Array): Buffer {
    const plain = Buffer.allocUnsafe(data.length)
    for (let index = 0; index < data.length; index++) {
      const mix = (this.#key2 | 2) & 0xffff
      plain[index] = data[index]! ^ ((Math.imul(mix, mix ^ 1) >>> 8) & 0xff)
      this.#updateKeys(plain[index]!)
    }
    return plain
  }

  #updateKeys(byte: number): void {
    this.#key0 = updateCrc(this.#key0, byte)
    this.#key1 = (Math.imul(this.#key1 + (this.#key0 & 0xff), 134_775_813) + 1) | 0
    this.#key2 = updateCrc(this.#key2, this.#key1 >>> 24)
  }
}

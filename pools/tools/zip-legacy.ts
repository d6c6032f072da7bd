const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function next(sum: number, byte: number): number {
  return (sum >>> 8) ^ TABLE[(sum ^ byte) & 0xff]!
}

/** The cipher of old zip programs: read, because people still send it, and never written. */
export class ZipCrypto {
  private a = 0x12345678
  private b = 0x23456789
  private c = 0x34567890

  constructor(password: string) {
    for (const byte of Buffer.from(password)) this.update(byte)
  }

  decrypt(data: Uint8Array): Buffer {
    const plain = Buffer.allocUnsafe(data.length)
    for (let at = 0; at < data.length; at++) {
      const mix = (this.c | 2) & 0xffff
      plain[at] = data[at]! ^ ((Math.imul(mix, mix ^ 1) >>> 8) & 0xff)
      this.update(plain[at]!)
    }
    return plain
  }

  private update(byte: number): void {
    this.a = next(this.a, byte)
    this.b = (Math.imul(this.b + (this.a & 0xff), 134_775_813) + 1) | 0
    this.c = next(this.c, this.b >>> 24)
  }
}

import { Problem } from '#kit'

const MOST_BYTES = 512 * 2 ** 20
const HEX = Buffer.from('0123456789abcdef')
const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const SHORT: Record<number, number> = { 8: 0x62, 9: 0x74, 10: 0x6e, 12: 0x66, 13: 0x72 }

/** Bytes that grow at the end. */
export class Sink {
  bytes: Buffer
  length = 0

  constructor(expectedBytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(Math.max(1024, expectedBytes))
  }

  finished(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  room(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const size = Math.min(MOST_BYTES, Math.max(this.bytes.length * 2, this.length + more))
    if (this.length + more > size) throw new Problem('OUTPUT_TOO_LARGE', { limit: MOST_BYTES })
    const larger = Buffer.allocUnsafeSlow(size)
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
  }

  byte(value: number): void {
    this.room(1)
    this.bytes[this.length++] = value
  }

  put(piece: Buffer): void {
    this.copy(piece, 0, piece.length)
  }

  /** Short stretches by hand, which is faster than a call. */
  copy(from: Buffer, start: number, end: number): void {
    const count = end - start
    this.room(count)
    if (count > 48) from.copy(this.bytes, this.length, start, end)
    else for (let at = 0; at < count; at++) this.bytes[this.length + at] = from[start + at]!
    this.length += count
  }

  /** The content of a JSON string, without its quotes. */
  copyEscaped(from: Buffer, start: number, end: number): void {
    this.room((end - start) * 6)
    const { bytes } = this
    let out = this.length
    for (let at = start; at < end; at++) {
      const byte = from[at]!
      if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) bytes[out++] = byte
      else out = escapeByte(bytes, out, byte)
    }
    this.length = out
  }
}

function escapeByte(bytes: Buffer, at: number, byte: number): number {
  bytes[at] = BACKSLASH
  const short = byte === QUOTE || byte === BACKSLASH ? byte : SHORT[byte]
  if (short !== undefined) {
    bytes[at + 1] = short
    return at + 2
  }
  bytes.write('u00', at + 1, 'latin1')
  bytes[at + 4] = HEX[byte >> 4]!
  bytes[at + 5] = HEX[byte & 15]!
  return at + 6
}

import { Problem } from '#kit'

const MAX_BYTES = 512 * 2 ** 20
const HEX = Buffer.from('0123456789abcdef')
const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d]
const SHORT_ESCAPES: Record<number, number> = { 8: 0x62, 9: 0x74, 10: 0x6e, 12: 0x66, 13: 0x72 }

/** A buffer that grows as bytes are appended. */
export class ByteSink {
  bytes: Buffer
  length = 0

  constructor(expectedBytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(Math.max(1024, expectedBytes))
  }

  finish(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const size = Math.min(MAX_BYTES, Math.max(this.bytes.length * 2, this.length + more))
    if (this.length + more > size) throw new Problem('OUTPUT_TOO_LARGE', { limit: MAX_BYTES })
    const larger = Buffer.allocUnsafeSlow(size)
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
  }

  writeByte(value: number): void {
    this.reserve(1)
    this.bytes[this.length++] = value
  }

  write(piece: Buffer): void {
    this.writeSlice(piece, 0, piece.length)
  }

  /** Copies short slices in a loop, which is faster than a call into native code. */
  writeSlice(from: Buffer, start: number, end: number): void {
    const count = end - start
    this.reserve(count)
    if (count > 48) from.copy(this.bytes, this.length, start, end)
    else for (let at = 0; at < count; at++) this.bytes[this.length + at] = from[start + at]!
    this.length += count
  }

  /** Copies JSON, in which line ends are always white space between values. */
  writeWithoutLineEnds(from: Buffer, start: number, end: number): void {
    this.reserve(end - start)
    for (let at = start; at < end; at++) {
      const byte = from[at]!
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) this.bytes[this.length++] = byte
    }
  }

  /** Writes the content of a JSON string, without its quotes. */
  writeEscaped(from: Buffer, start: number, end: number): void {
    this.reserve((end - start) * 6)
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
  const short = byte === QUOTE || byte === BACKSLASH ? byte : SHORT_ESCAPES[byte]
  if (short !== undefined) {
    bytes[at + 1] = short
    return at + 2
  }
  bytes.write('u00', at + 1, 'latin1')
  bytes[at + 4] = HEX[byte >> 4]!
  bytes[at + 5] = HEX[byte & 15]!
  return at + 6
}

import { bitRows, type Drawing, type Rgba, sizeOf } from './raster-shape.ts'

/** Bits from the lowest up, as WebP lossless wants them. */
class BitWriter {
  private readonly bytes: number[] = []
  private held = 0
  private count = 0

  put(value: number, bits: number): void {
    for (let at = 0; at < bits; at++) {
      this.held |= ((value >> at) & 1) << this.count
      if (++this.count < 8) continue
      this.bytes.push(this.held)
      this.held = 0
      this.count = 0
    }
  }

  /** A code of a prefix tree goes highest bit first. */
  putCode(code: number, bits: number): void {
    for (let at = bits - 1; at >= 0; at--) this.put((code >> at) & 1, 1)
  }

  finished(): Buffer {
    if (this.count > 0) this.bytes.push(this.held)
    return Buffer.from(this.bytes)
  }
}

const MOST_COPIED = 4096

/**
 * Lossless WebP of two colours: eight pixels a symbol by way of a palette, and each row of squares once, its copies
 * as references to the row above.
 */
export function webpOf(drawing: Drawing): Buffer {
  const { width, height } = sizeOf(drawing)
  const out = new BitWriter()
  out.put(0x2f, 8)
  out.put(width - 1, 14)
  out.put(height - 1, 14)
  out.put(drawing.light.a < 255 || drawing.dark.a < 255 ? 1 : 0, 1)
  out.put(0, 3)
  putPalette(out, drawing.light, drawing.dark)
  out.put(0, 3)
  putTrees(out)
  putRows(out, drawing)
  return riff(out.finished())
}

function riff(data: Buffer): Buffer {
  const padded = data.length % 2 === 0 ? data : Buffer.concat([data, Buffer.alloc(1)])
  const head = Buffer.from('RIFF\0\0\0\0WEBPVP8L\0\0\0\0', 'latin1')
  head.writeUInt32LE(padded.length + 12, 4)
  head.writeUInt32LE(data.length, 16)
  return Buffer.concat([head, padded])
}

const CHANNELS = ['g', 'r', 'b', 'a'] as const

/** The two colours as a picture of two pixels, the second told by its distance from the first. */
function putPalette(out: BitWriter, light: Rgba, dark: Rgba): void {
  out.put(1, 1)
  out.put(3, 2)
  out.put(1, 8)
  out.put(0, 1)
  const pairs = CHANNELS.map(channel => [light[channel], (dark[channel] - light[channel]) & 0xff] as const)
  for (const [one, other] of pairs) putPair(out, one, other)
  putSingle(out, 0)
  for (const index of [0, 1] as const) {
    for (const pair of pairs) if (pair[0] !== pair[1]) out.put(pair[index] === Math.max(...pair) ? 1 : 0, 1)
  }
}

function putPair(out: BitWriter, one: number, other: number): void {
  if (one === other) {
    putSingle(out, one)
    return
  }
  out.put(0b111, 3)
  out.put(Math.min(one, other), 8)
  out.put(Math.max(one, other), 8)
}

function putSingle(out: BitWriter, symbol: number): void {
  out.put(0b101, 3)
  out.put(symbol, 8)
}

/** 256 literals of nine bits, 16 lengths of six and 8 of five: together exactly one. */
const [LITERAL_BITS, SHORT_BITS, LONG_BITS] = [9, 6, 5]

function putTrees(out: BitWriter): void {
  const order = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9]
  const lengths: Record<number, number> = { [LITERAL_BITS]: 1, [SHORT_BITS]: 2, [LONG_BITS]: 2 }
  out.put(0, 1)
  out.put(order.length - 4, 4)
  for (const symbol of order) out.put(lengths[symbol] ?? 0, 3)
  out.put(0, 1)
  for (let symbol = 0; symbol < 280; symbol++) {
    if (symbol < 256) out.putCode(0, 1)
    else out.putCode(symbol < 272 ? 0b11 : 0b10, 2)
  }
  for (const only of [0, 0, 255, 0]) putSingle(out, only)
}

function putRows(out: BitWriter, drawing: Drawing): void {
  const rows = bitRows(drawing)
  for (let y = 0; y < rows.length; y += drawing.scale) {
    const row = rows[y]!
    for (const byte of row) out.putCode(256 + turned(byte), LITERAL_BITS)
    for (let left = row.length * (drawing.scale - 1); left > 0; left -= MOST_COPIED) {
      putLength(out, Math.min(left, MOST_COPIED))
    }
  }
}

/** WebP has the leftmost pixel in the lowest bit. */
function turned(byte: number): number {
  let result = 0
  for (let bit = 0; bit < 8; bit++) if ((byte >> bit) & 1) result |= 0x80 >> bit
  return result
}

/** Codes are given out by length and then by symbol: first those of five bits, then of six, then of nine. */
function putLength(out: BitWriter, length: number): void {
  const value = length - 1
  const highest = 31 - Math.clz32(Math.max(value, 1))
  const symbol = value < 4 ? value : 2 * highest + ((value >> (highest - 1)) & 1)
  if (symbol < 16) out.putCode(16 + symbol, SHORT_BITS)
  else out.putCode(symbol - 16, LONG_BITS)
  if (value >= 4) out.put(value & ((1 << (highest - 1)) - 1), highest - 1)
}

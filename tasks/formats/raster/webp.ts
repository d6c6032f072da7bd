import { imageSize, type ModuleImage, type Rgba, renderBitRows } from './png-svg.ts'

/** Writes bits from the lowest up, as lossless WebP requires. */
class BitWriter {
  readonly #bytes: number[] = []
  #pending = 0
  #pendingBits = 0

  put(value: number, bits: number): void {
    for (let at = 0; at < bits; at++) {
      this.#pending |= ((value >> at) & 1) << this.#pendingBits
      if (++this.#pendingBits < 8) continue
      this.#bytes.push(this.#pending)
      this.#pending = 0
      this.#pendingBits = 0
    }
  }

  /** Codes of prefix trees are written from the highest bit down. */
  putCode(code: number, bits: number): void {
    for (let at = bits - 1; at >= 0; at--) this.put((code >> at) & 1, 1)
  }

  finish(): Buffer {
    if (this.#pendingBits > 0) this.#bytes.push(this.#pending)
    return Buffer.from(this.#bytes)
  }
}

const MAX_COPY_LENGTH = 4096

/**
 * Encodes lossless WebP with two colours: a palette packs eight pixels into a symbol, and each row of modules is written
 * once, with its copies as references to the row above.
 */
export function encodeWebp(image: ModuleImage): Buffer {
  const { width, height } = imageSize(image)
  const out = new BitWriter()
  out.put(0x2f, 8)
  out.put(width - 1, 14)
  out.put(height - 1, 14)
  out.put(image.light.a < 255 || image.dark.a < 255 ? 1 : 0, 1)
  out.put(0, 3)
  putPalette(out, image.light, image.dark)
  out.put(0, 3)
  putTrees(out)
  putRows(out, image)
  return wrapInRiff(out.finish())
}

function wrapInRiff(data: Buffer): Buffer {
  const padded = data.length % 2 === 0 ? data : Buffer.concat([data, Buffer.alloc(1)])
  const head = Buffer.from('RIFF\0\0\0\0WEBPVP8L\0\0\0\0', 'latin1')
  head.writeUInt32LE(padded.length + 12, 4)
  head.writeUInt32LE(data.length, 16)
  return Buffer.concat([head, padded])
}

const CHANNELS = ['g', 'r', 'b', 'a'] as const

/** Writes the two colours as an image of two pixels, the second as the difference from the first. */
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

/** 256 literals of nine bits, 16 lengths of six and 8 of five make a complete prefix code. */
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

function putRows(out: BitWriter, image: ModuleImage): void {
  const rows = renderBitRows(image)
  for (let y = 0; y < rows.length; y += image.scale) {
    const row = rows[y]!
    for (const byte of row) out.putCode(256 + reverseBits(byte), LITERAL_BITS)
    for (let left = row.length * (image.scale - 1); left > 0; left -= MAX_COPY_LENGTH) {
      putLength(out, Math.min(left, MAX_COPY_LENGTH))
    }
  }
}

/** WebP stores the leftmost pixel in the lowest bit. */
function reverseBits(byte: number): number {
  let result = 0
  for (let bit = 0; bit < 8; bit++) if ((byte >> bit) & 1) result |= 0x80 >> bit
  return result
}

/** Codes are assigned by length and then by symbol: first those of five bits, then of six, then of nine. */
function putLength(out: BitWriter, length: number): void {
  const value = length - 1
  const highest = 31 - Math.clz32(Math.max(value, 1))
  const symbol = value < 4 ? value : 2 * highest + ((value >> (highest - 1)) & 1)
  if (symbol < 16) out.putCode(16 + symbol, SHORT_BITS)
  else out.putCode(symbol - 16, LONG_BITS)
  if (value >= 4) out.put(value & ((1 << (highest - 1)) - 1), highest - 1)
}

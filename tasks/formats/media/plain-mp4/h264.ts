import { Bits } from './bits.ts'
import { expect, part } from './boxes.ts'

interface H264Facts {
  profile: string
  width: number
  height: number
  hasSquarePixels: boolean
  colorSpace?: string
  colorTransfer?: string
  /** Frames a second, if the stream says so. */
  fps?: number
  reordersFrames: boolean
}

const PROFILES: Record<number, string> = { 66: 'Baseline', 77: 'Main', 100: 'High' }
const COLOR_SPACES: Record<number, string> = { 1: 'bt709', 5: 'bt470bg', 6: 'smpte170m' }
const COLOR_TRANSFERS: Record<number, string> = { 1: 'bt709', 6: 'smpte170m', 13: 'iec61966-2-1' }
const UNKNOWN_COLOR = 2

/** Reads the configuration of a stream of 8 bits and 4:2:0, progressive, with square pixels. */
export function readH264(configuration: DataView): H264Facts {
  const [lengthBytes, sets] = [(configuration.getUint8(4) & 3) + 1, configuration.getUint8(5) & 31]
  const length = configuration.getUint16(6)
  expect(configuration.getUint8(0) === 1 && lengthBytes === 4 && sets === 1 && length > 4)
  const { buffer, byteOffset } = part(configuration, 8, length)
  const bytes = new Uint8Array(buffer, byteOffset, length)
  expect((bytes[0]! & 31) === 7)
  const [, number, constraints] = bytes
  const name = PROFILES[number!]
  expect(name !== undefined)
  const isBaseline = number === 66
  const bits = new Bits(removeEscapes(bytes.subarray(4)))
  const size = readSize(bits, number === 100)
  const details = bits.flag() ? readDetails(bits) : { hasSquarePixels: false }
  const { reordersFrames = isBaseline ? false : undefined, ...others } = details
  expect(reordersFrames !== undefined && bits.isAtEnd())
  requireFrameSettings(configuration, 8 + length)
  const profile = isBaseline && (constraints! & 0x40) !== 0 ? 'Constrained Baseline' : name
  return { profile, ...size, ...others, reordersFrames }
}

/** The pictures are described once, by a set that belongs to the header. */
function requireFrameSettings(configuration: DataView, at: number): void {
  const length = configuration.getUint16(at + 1)
  const { buffer, byteOffset } = part(configuration, at + 3, length)
  const bytes = new Uint8Array(buffer, byteOffset, length)
  const bits = new Bits(bytes.subarray(1))
  expect(configuration.getUint8(at) === 1 && length > 1 && (bytes[0]! & 31) === 8)
  expect(bits.unsigned() === 0 && bits.unsigned() === 0)
}

/** Bytes that only keep a header from looking like the start of another one. */
function removeEscapes(bytes: Uint8Array): Uint8Array {
  return bytes.filter((byte, at) => !(byte === 3 && at >= 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0))
}

const MAX_COUNTER_BITS = 12
const MAX_REFERENCES = 16

function readSize(bits: Bits, isHigh: boolean): { width: number; height: number } {
  expect(bits.unsigned() === 0)
  if (isHigh) {
    const [chroma, lumaDepth, chromaDepth] = [bits.unsigned(), bits.unsigned(), bits.unsigned()]
    const [isLossless, hasMatrix] = [bits.flag(), bits.flag()]
    expect(chroma === 1 && lumaDepth === 0 && chromaDepth === 0 && !isLossless && !hasMatrix)
  }
  expect(bits.unsigned() <= MAX_COUNTER_BITS)
  skipOrder(bits)
  expect(bits.unsigned() <= MAX_REFERENCES)
  bits.flag()
  const [columns, rows, isProgressive] = [bits.unsigned() + 1, bits.unsigned() + 1, bits.flag()]
  expect(isProgressive)
  bits.flag()
  const [left, right, top, bottom] = bits.flag()
    ? [bits.unsigned(), bits.unsigned(), bits.unsigned(), bits.unsigned()]
    : [0, 0, 0, 0]
  return { width: columns * 16 - 2 * (left + right), height: rows * 16 - 2 * (top + bottom) }
}

/** How pictures are put in order. */
function skipOrder(bits: Bits): void {
  const kind = bits.unsigned()
  expect(kind === 2 || (kind === 0 && bits.unsigned() <= MAX_COUNTER_BITS))
}

type Details = Partial<H264Facts> & Pick<H264Facts, 'hasSquarePixels'>

/** What tells of the use of the stream; a decoder could do without it. */
function readDetails(bits: Bits): Details {
  const hasSquarePixels = bits.flag()
  if (hasSquarePixels) expect(bits.read(8) === 1)
  if (bits.flag()) bits.flag()
  const colors = bits.flag() ? readColors(bits) : {}
  if (bits.flag()) bits.unsigned() + bits.unsigned()
  const fps = bits.flag() ? { fps: readFps(bits) } : {}
  expect(!bits.flag() && !bits.flag())
  bits.flag()
  return { hasSquarePixels, ...colors, ...fps, ...(bits.flag() && { reordersFrames: readReordering(bits) }) }
}

function readColors(bits: Bits): Pick<H264Facts, 'colorSpace' | 'colorTransfer'> {
  bits.read(3)
  const isFullRange = bits.flag()
  expect(!isFullRange)
  if (!bits.flag()) return {}
  bits.read(8)
  const [transfer, matrix] = [bits.read(8), bits.read(8)]
  const [colorTransfer, colorSpace] = [COLOR_TRANSFERS[transfer], COLOR_SPACES[matrix]]
  expect(transfer === UNKNOWN_COLOR || colorTransfer !== undefined)
  expect(matrix === UNKNOWN_COLOR || colorSpace !== undefined)
  return { ...(colorTransfer && { colorTransfer }), ...(colorSpace && { colorSpace }) }
}

/** The clock ticks twice for a frame, once for each of its fields. */
function readFps(bits: Bits): number {
  const [units, scale] = [bits.read(32), bits.read(32)]
  bits.flag()
  expect(units > 0)
  return scale / units / 2
}

function readReordering(bits: Bits): boolean {
  bits.flag()
  for (let skipped = 0; skipped < 4; skipped += 1) bits.unsigned()
  const frames = bits.unsigned()
  bits.unsigned()
  return frames > 0
}

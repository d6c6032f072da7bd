import { crc32 } from 'node:zlib'
import { Problem } from '#kit'
import { stripIsobmff } from './isobmff.ts'
import { stripJpeg } from './jpeg.ts'
import { checkPixels, filterExif, type KeepableMetadata } from './strip-exif.ts'
import { removeXmpLocation, type StripState } from './strip-gps.ts'
import { stripTiff } from './tiff.ts'

interface StripResult {
  bytes: Buffer
  removed: string[]
  hadGps: boolean
}

/** Removes private metadata from an image and leaves the coded pixels unchanged, byte for byte. */
export function stripImageMetadata(
  bytes: Uint8Array,
  type: string,
  keep: readonly KeepableMetadata[],
  isOnlyGps = false,
): StripResult {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const state: StripState = { keep: new Set(keep), isOnlyGps, removed: new Set(), hadGps: false }
  try {
    const result = STRIPPERS[type]!(file, state)
    return { bytes: result, removed: [...state.removed].sort(), hadGps: state.hadGps }
  } catch (error) {
    if (error instanceof RangeError)
      throw new Problem('IMAGE_DECODE_FAILED', { detail: 'the file is truncated or damaged' })
    throw error
  }
}

const STRIPPERS: Record<string, (file: Buffer, state: StripState) => Buffer> = {
  'image/jpeg': stripJpeg,
  'image/png': stripPng,
  'image/webp': stripWebp,
  'image/tiff': stripTiff,
  'image/heic': stripIsobmff,
  'image/heif': stripIsobmff,
  'image/avif': stripIsobmff,
}

const PNG_PRIVATE: Record<string, string> = {
  tEXt: 'text',
  zTXt: 'text',
  iTXt: 'text',
  tIME: 'time',
  caBX: 'c2pa',
  dSIG: 'signature',
  pHYs: 'dpi',
}

function stripPng(file: Buffer, state: StripState): Buffer {
  checkPixels(file.readUInt32BE(16), file.readUInt32BE(20))
  const parts = [file.subarray(0, 8)]
  let at = 8
  for (let kind = ''; kind !== 'IEND'; ) {
    const end = at + 12 + file.readUInt32BE(at)
    if (end > file.length) throw new RangeError('cut off')
    kind = file.toString('latin1', at + 4, at + 8)
    if (isCriticalChunk(kind) && crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) {
      throw new RangeError('damaged')
    }
    parts.push(filterPngChunk(file.subarray(at, end), kind, state))
    at = end
  }
  if (at < file.length) state.removed.add('trailing')
  return Buffer.concat(parts)
}

/** The names of critical chunks begin with a capital letter. */
function isCriticalChunk(kind: string): boolean {
  return /^[A-Z]/.test(kind)
}

function filterPngChunk(chunk: Buffer, kind: string, state: StripState): Buffer {
  const content = chunk.subarray(8, chunk.length - 4)
  if (kind === 'eXIf') return buildPngChunk('eXIf', filterExif(content, state))
  if (state.isOnlyGps) return kind === 'iTXt' ? buildPngChunk('iTXt', removeXmpLocation(content, state)) : chunk
  if (kind === 'pHYs' && state.keep.has('dpi')) return chunk
  const removed = PNG_PRIVATE[kind] ?? (kind === 'iCCP' && !state.keep.has('icc') ? 'icc' : undefined)
  if (!removed) return chunk
  state.removed.add(removed)
  return Buffer.alloc(0)
}

function buildPngChunk(kind: string, content: Buffer | undefined): Buffer {
  if (!content) return Buffer.alloc(0)
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(kind), content, Buffer.alloc(4)])
  chunk.writeUInt32BE(content.length, 0)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, chunk.length - 4)), chunk.length - 4)
  return chunk
}

const WEBP_PRIVATE: Record<string, { name: string; flag: number }> = {
  'XMP ': { name: 'xmp', flag: 0x04 },
  ICCP: { name: 'icc', flag: 0x20 },
  C2PA: { name: 'c2pa', flag: 0 },
}

function stripWebp(file: Buffer, state: StripState): Buffer {
  const parts: Buffer[] = [Buffer.from(file.subarray(0, 12))]
  const last = 8 + file.readUInt32LE(4)
  if (last > file.length) throw new RangeError('cut off')
  let dropped = 0
  for (let at = 12; at + 8 <= last; ) {
    const length = file.readUInt32LE(at + 4)
    const end = at + 8 + length + (length & 1)
    if (at + 8 + length > last) throw new RangeError('cut off')
    const { part, flag } = filterWebpChunk(file.subarray(at, end), length, state)
    parts.push(part)
    dropped |= flag
    at = end
  }
  if (last < file.length) state.removed.add('trailing')
  const head = parts[1]
  if (head?.toString('latin1', 0, 4) === 'VP8X') head[8] = head[8]! & ~dropped
  const result = Buffer.concat(parts)
  result.writeUInt32LE(result.length - 8, 4)
  return result
}

/** What remains of a chunk, and the flag in the file header to clear if the chunk is removed. */
function filterWebpChunk(chunk: Buffer, length: number, state: StripState): { part: Buffer; flag: number } {
  const kind = chunk.toString('latin1', 0, 4)
  const nothing = Buffer.alloc(0)
  if (kind === 'EXIF') {
    const tiff = filterExif(chunk.subarray(8, 8 + length), state)
    return tiff ? { part: buildExifChunk(tiff), flag: 0 } : { part: nothing, flag: 0x08 }
  }
  if (state.isOnlyGps) return { part: kind === 'XMP ' ? removeXmpLocation(chunk, state) : Buffer.from(chunk), flag: 0 }
  const removed = kind === 'ICCP' && state.keep.has('icc') ? undefined : WEBP_PRIVATE[kind]
  if (!removed) return { part: Buffer.from(chunk), flag: 0 }
  state.removed.add(removed.name)
  return { part: nothing, flag: removed.flag }
}

function buildExifChunk(tiff: Buffer): Buffer {
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1')
  head.writeUInt32LE(tiff.length, 4)
  return Buffer.concat([head, tiff, Buffer.alloc(tiff.length & 1)])
}

import { crc32 } from 'node:zlib'
import { Problem } from '#kit'
import { stripBoxes } from './strip-boxes-shape.ts'
import { checkSize, type Kept, keptExif, type Work } from './strip-exif-shape.ts'
import { stripJpeg } from './strip-jpeg-shape.ts'
import { withoutPlaceInXmp } from './strip-place-shape.ts'
import { stripTiff } from './strip-tiff-shape.ts'

export interface Stripped {
  bytes: Buffer
  removed: string[]
  hadGps: boolean
}

/** Takes the private parts out of a file and leaves the coded pixels alone, byte for byte. */
export function strip(bytes: Uint8Array, type: string, keep: readonly Kept[], isOnlyGps = false): Stripped {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const work: Work = { keep: new Set(keep), isOnlyGps, removed: new Set(), hadGps: false }
  try {
    const made = STRIPPERS[type]!(file, work)
    return { bytes: made, removed: [...work.removed].sort(), hadGps: work.hadGps }
  } catch (error) {
    if (error instanceof RangeError)
      throw new Problem('IMAGE_DECODE_FAILED', { detail: 'the file is cut off or damaged' })
    throw error
  }
}

const STRIPPERS: Record<string, (file: Buffer, work: Work) => Buffer> = {
  'image/jpeg': stripJpeg,
  'image/png': stripPng,
  'image/webp': stripWebp,
  'image/tiff': stripTiff,
  'image/heic': stripBoxes,
  'image/heif': stripBoxes,
  'image/avif': stripBoxes,
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

function stripPng(file: Buffer, work: Work): Buffer {
  checkSize(file.readUInt32BE(16), file.readUInt32BE(20))
  const parts = [file.subarray(0, 8)]
  let at = 8
  for (let kind = ''; kind !== 'IEND'; ) {
    const end = at + 12 + file.readUInt32BE(at)
    if (end > file.length) throw new RangeError('cut off')
    kind = file.toString('latin1', at + 4, at + 8)
    if (isVital(kind) && crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) {
      throw new RangeError('damaged')
    }
    parts.push(keptChunk(file.subarray(at, end), kind, work))
    at = end
  }
  if (at < file.length) work.removed.add('trailing')
  return Buffer.concat(parts)
}

/** Chunks without which there is no picture begin with a capital. */
function isVital(kind: string): boolean {
  return /^[A-Z]/.test(kind)
}

function keptChunk(chunk: Buffer, kind: string, work: Work): Buffer {
  const content = chunk.subarray(8, chunk.length - 4)
  if (kind === 'eXIf') return pngChunk('eXIf', keptExif(content, work))
  if (work.isOnlyGps) return kind === 'iTXt' ? pngChunk('iTXt', withoutPlaceInXmp(content, work)) : chunk
  if (kind === 'pHYs' && work.keep.has('dpi')) return chunk
  const gone = PNG_PRIVATE[kind] ?? (kind === 'iCCP' && !work.keep.has('icc') ? 'icc' : undefined)
  if (!gone) return chunk
  work.removed.add(gone)
  return Buffer.alloc(0)
}

function pngChunk(kind: string, content: Buffer | undefined): Buffer {
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

function stripWebp(file: Buffer, work: Work): Buffer {
  const parts: Buffer[] = [Buffer.from(file.subarray(0, 12))]
  const last = 8 + file.readUInt32LE(4)
  if (last > file.length) throw new RangeError('cut off')
  let dropped = 0
  for (let at = 12; at + 8 <= last; ) {
    const length = file.readUInt32LE(at + 4)
    const end = at + 8 + length + (length & 1)
    if (at + 8 + length > last) throw new RangeError('cut off')
    const { part, flag } = keptPart(file.subarray(at, end), length, work)
    parts.push(part)
    dropped |= flag
    at = end
  }
  if (last < file.length) work.removed.add('trailing')
  const head = parts[1]
  if (head?.toString('latin1', 0, 4) === 'VP8X') head[8] = head[8]! & ~dropped
  const made = Buffer.concat(parts)
  made.writeUInt32LE(made.length - 8, 4)
  return made
}

/** What is left of a chunk, and the flag in the head that tells of it where nothing is. */
function keptPart(chunk: Buffer, length: number, work: Work): { part: Buffer; flag: number } {
  const kind = chunk.toString('latin1', 0, 4)
  const nothing = Buffer.alloc(0)
  if (kind === 'EXIF') {
    const tiff = keptExif(chunk.subarray(8, 8 + length), work)
    return tiff ? { part: exifPart(tiff), flag: 0 } : { part: nothing, flag: 0x08 }
  }
  if (work.isOnlyGps) return { part: kind === 'XMP ' ? withoutPlaceInXmp(chunk, work) : Buffer.from(chunk), flag: 0 }
  const gone = kind === 'ICCP' && work.keep.has('icc') ? undefined : WEBP_PRIVATE[kind]
  if (!gone) return { part: Buffer.from(chunk), flag: 0 }
  work.removed.add(gone.name)
  return { part: nothing, flag: gone.flag }
}

function exifPart(tiff: Buffer): Buffer {
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1')
  head.writeUInt32LE(tiff.length, 4)
  return Buffer.concat([head, tiff, Buffer.alloc(tiff.length & 1)])
}

import { crc32 } from 'node:zlib'
import { Problem } from '#kit'
import { type TagValue, tagsIn } from './exif-shape.ts'

export type Kept = 'orientation' | 'icc' | 'copyright' | 'dpi'

export interface Stripped {
  bytes: Buffer
  removed: string[]
  hadGps: boolean
}

/** Takes the private parts out of a file and leaves the coded pixels alone, byte for byte. */
export function strip(bytes: Uint8Array, type: string, keep: readonly Kept[]): Stripped {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const work: Work = { keep: new Set(keep), removed: new Set(), hadGps: false }
  try {
    const made = STRIPPERS[type]!(file, work)
    return { bytes: made, removed: [...work.removed].sort(), hadGps: work.hadGps }
  } catch (error) {
    if (error instanceof RangeError) throw new Problem('IMAGE_DECODE_FAILED', { detail: 'the file is cut off' })
    throw error
  }
}

interface Work {
  keep: ReadonlySet<Kept>
  removed: Set<string>
  hadGps: boolean
}

const STRIPPERS: Record<string, (file: Buffer, work: Work) => Buffer> = {
  'image/jpeg': stripJpeg,
  'image/png': stripPng,
  'image/webp': stripWebp,
}

const KEPT_TAGS: [tag: number, name: string, kept: Kept][] = [
  [0x0112, 'Orientation', 'orientation'],
  [0x013b, 'Artist', 'copyright'],
  [0x8298, 'Copyright', 'copyright'],
]

/** A small EXIF block with what is kept of the old one; nothing where that is nothing. */
function keptExif(block: Buffer, work: Work): Buffer | undefined {
  const tags = tagsIn(block)
  work.removed.add('exif')
  if (tags.GPSLatitude !== undefined || tags.GPSLongitude !== undefined) work.hadGps = true
  if (work.hadGps) work.removed.add('gps')
  const found = KEPT_TAGS.filter(([, name, kept]) => work.keep.has(kept) && tags[name] !== undefined)
  if (found.length === 0) return undefined
  const texts: Buffer[] = []
  let place = 8 + 2 + found.length * 12 + 4
  const entries = found.map(([tag, name]) => {
    const { entry, text } = exifEntry(tag, tags[name]!, place)
    texts.push(text)
    place += text.length
    return entry
  })
  const head = Buffer.from('MM\0*\0\0\0\x08', 'latin1')
  return Buffer.concat([head, Buffer.from([0, entries.length]), ...entries, Buffer.alloc(4), ...texts])
}

/** An entry of a directory, and the text that lies at `place` where the entry has no room for it. */
function exifEntry(tag: number, value: TagValue, place: number): { entry: Buffer; text: Buffer } {
  const entry = Buffer.alloc(12)
  const none = Buffer.alloc(0)
  entry.writeUInt16BE(tag, 0)
  if (typeof value !== 'string') {
    entry.writeUInt16BE(3, 2)
    entry.writeUInt32BE(1, 4)
    entry.writeUInt16BE(Number([value].flat()[0]) & 0xff, 8)
    return { entry, text: none }
  }
  const text = Buffer.from(`${value}\0`)
  entry.writeUInt16BE(2, 2)
  entry.writeUInt32BE(text.length, 4)
  if (text.length > 4) entry.writeUInt32BE(place, 8)
  else text.copy(entry, 8)
  return { entry, text: text.length > 4 ? text : none }
}

const SEGMENTS: [start: string, name: string][] = [
  ['http://ns.adobe.com/', 'xmp'],
  ['Photoshop 3.0', 'iptc'],
  ['MPF\0', 'mpf'],
  ['JFXX\0', 'thumbnail'],
  ['JP', 'c2pa'],
  ['ICC_PROFILE', 'icc'],
]

function stripJpeg(file: Buffer, work: Work): Buffer {
  const parts = [file.subarray(0, 2)]
  let at = 2
  for (;;) {
    if (file.readUInt8(at) !== 0xff) throw new RangeError('no marker')
    const marker = file.readUInt8(at + 1)
    if (marker === 0xd9) break
    const end = at + 2 + file.readUInt16BE(at + 2)
    if (end > file.length) throw new RangeError('cut off')
    const kept = keptSegment(file.subarray(at, end), marker, work)
    if (kept) parts.push(kept)
    at = end
    if (marker !== 0xda) continue
    const next = afterScan(file, at)
    parts.push(file.subarray(at, next))
    at = next
  }
  parts.push(file.subarray(at, at + 2))
  if (at + 2 < file.length) work.removed.add('trailing')
  return Buffer.concat(parts)
}

/** Coded pixels go on until a marker that is neither a stuffed byte nor a restart. */
function afterScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const next = file.readUInt8(at + 1)
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  throw new RangeError('cut off')
}

function keptSegment(segment: Buffer, marker: number, work: Work): Buffer | undefined {
  const isPrivate = (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe
  if (!isPrivate || marker === 0xee) return segment
  const text = segment.toString('latin1', 4, 40)
  if (marker === 0xe0 && text.startsWith('JFIF\0')) return segment
  if (text.startsWith('ICC_PROFILE\0') && work.keep.has('icc')) return segment
  if (text.startsWith('Exif\0\0')) return exifSegment(keptExif(segment.subarray(10), work))
  work.removed.add(segmentName(text, marker))
  return undefined
}

function segmentName(text: string, marker: number): string {
  const known = SEGMENTS.find(([start]) => text.startsWith(start))
  if (known) return known[1]
  return marker === 0xfe ? 'comment' : `app${marker - 0xe0}`
}

function exifSegment(tiff: Buffer | undefined): Buffer | undefined {
  if (!tiff) return undefined
  const head = Buffer.from('\xff\xe1\0\0Exif\0\0', 'latin1')
  head.writeUInt16BE(tiff.length + 8, 2)
  return Buffer.concat([head, tiff])
}

const PNG_PRIVATE: Record<string, string> = {
  tEXt: 'text',
  zTXt: 'text',
  iTXt: 'text',
  tIME: 'time',
  caBX: 'c2pa',
  dSIG: 'signature',
}

function stripPng(file: Buffer, work: Work): Buffer {
  const parts = [file.subarray(0, 8)]
  let at = 8
  for (let kind = ''; kind !== 'IEND'; ) {
    const end = at + 12 + file.readUInt32BE(at)
    if (end > file.length) throw new RangeError('cut off')
    kind = file.toString('latin1', at + 4, at + 8)
    parts.push(keptChunk(file.subarray(at, end), kind, work))
    at = end
  }
  if (at < file.length) work.removed.add('trailing')
  return Buffer.concat(parts)
}

function keptChunk(chunk: Buffer, kind: string, work: Work): Buffer {
  if (kind === 'eXIf') return pngChunk(keptExif(chunk.subarray(8, chunk.length - 4), work))
  const gone = PNG_PRIVATE[kind] ?? (kind === 'iCCP' && !work.keep.has('icc') ? 'icc' : undefined)
  if (!gone) return chunk
  work.removed.add(gone)
  return Buffer.alloc(0)
}

function pngChunk(tiff: Buffer | undefined): Buffer {
  if (!tiff) return Buffer.alloc(0)
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from('eXIf'), tiff, Buffer.alloc(4)])
  chunk.writeUInt32BE(tiff.length, 0)
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

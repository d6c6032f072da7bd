import { checkPixels, filterExif } from './strip-exif.ts'
import { removeLocation, removeXmpLocation, type StripState } from './strip-gps.ts'

const EMPTY = Buffer.alloc(0)

const SEGMENTS: [start: string, name: string][] = [
  ['http://ns.adobe.com/', 'xmp'],
  ['Photoshop 3.0', 'iptc'],
  ['MPF\0', 'mpf'],
  ['JFXX\0', 'thumbnail'],
  ['JP', 'c2pa'],
  ['ICC_PROFILE', 'icc'],
]

export function stripJpeg(file: Buffer, state: StripState): Buffer {
  const parts = [file.subarray(0, 2)]
  let at = 2
  for (;;) {
    if (file.readUInt8(at) !== 0xff) throw new RangeError('no marker')
    const marker = file.readUInt8(at + 1)
    if (marker === 0xd9) break
    const end = at + 2 + file.readUInt16BE(at + 2)
    if (end > file.length) throw new RangeError('cut off')
    const segment = file.subarray(at, end)
    checkFrame(segment, marker)
    parts.push(filterSegment(segment, marker, state) ?? EMPTY)
    at = end
    if (marker !== 0xda) continue
    const next = findScanEnd(file, at)
    parts.push(file.subarray(at, next))
    at = next
  }
  parts.push(file.subarray(at, at + 2))
  if (at + 2 < file.length) state.removed.add('trailing')
  return Buffer.concat(parts)
}

/** Frame headers are C0 to CF, except for tables and extensions. */
function checkFrame(segment: Buffer, marker: number): void {
  if (marker < 0xc0 || marker > 0xcf || marker === 0xc4 || marker === 0xc8 || marker === 0xcc) return
  checkPixels(segment.readUInt16BE(7), segment.readUInt16BE(5))
}

/** Coded pixels end at a marker that is neither a stuffed byte nor a restart marker. */
function findScanEnd(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const next = file.readUInt8(at + 1)
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  throw new RangeError('cut off')
}

/** Comments and application segments, except for Adobe's, which defines the colour transform. */
function mayHoldMetadata(marker: number): boolean {
  return (marker >= 0xe0 && marker <= 0xef && marker !== 0xee) || marker === 0xfe
}

function filterSegment(segment: Buffer, marker: number, state: StripState): Buffer | undefined {
  if (!mayHoldMetadata(marker)) return segment
  const text = segment.toString('latin1', 4, 40)
  if (state.isOnlyGps) return removeLocationFromSegment(segment, text, marker, state)
  if (marker === 0xe0 && text.startsWith('JFIF\0'))
    return state.keep.has('dpi') ? segment : resetDensity(segment, state)
  if (text.startsWith('ICC_PROFILE\0') && state.keep.has('icc')) return segment
  if (text.startsWith('Exif\0\0')) return buildExifSegment(filterExif(segment.subarray(10), state))
  state.removed.add(nameSegment(text, marker))
  return undefined
}

/** Further images in the file have their own EXIF blocks, and signed C2PA records may contain the location. */
function removeLocationFromSegment(
  segment: Buffer,
  text: string,
  marker: number,
  state: StripState,
): Buffer | undefined {
  if (text.startsWith('Exif\0\0'))
    return Buffer.concat([segment.subarray(0, 10), removeLocation(segment.subarray(10), state)])
  if (text.startsWith('http://ns.adobe.com/')) return removeXmpLocation(segment, state)
  const name = nameSegment(text, marker)
  if (name !== 'mpf' && name !== 'c2pa') return segment
  state.removed.add(name)
  return undefined
}

/** The segment is required, but the density in it is not. */
function resetDensity(segment: Buffer, state: StripState): Buffer {
  const plain = Buffer.from('0000010001', 'hex')
  if (segment.length < 16 || segment.subarray(11, 16).equals(plain)) return segment
  state.removed.add('dpi')
  return Buffer.concat([segment.subarray(0, 11), plain, segment.subarray(16)])
}

function nameSegment(text: string, marker: number): string {
  const known = SEGMENTS.find(([start]) => text.startsWith(start))
  if (known) return known[1]
  return marker === 0xfe ? 'comment' : `app${marker - 0xe0}`
}

function buildExifSegment(tiff: Buffer | undefined): Buffer | undefined {
  if (!tiff) return undefined
  const head = Buffer.from('\xff\xe1\0\0Exif\0\0', 'latin1')
  head.writeUInt16BE(tiff.length + 8, 2)
  return Buffer.concat([head, tiff])
}

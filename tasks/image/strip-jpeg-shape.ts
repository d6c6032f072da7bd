import { checkSize, keptExif, type Work } from './strip-exif-shape.ts'
import { withoutPlace, withoutPlaceInXmp } from './strip-place-shape.ts'

const NOTHING = Buffer.alloc(0)

const SEGMENTS: [start: string, name: string][] = [
  ['http://ns.adobe.com/', 'xmp'],
  ['Photoshop 3.0', 'iptc'],
  ['MPF\0', 'mpf'],
  ['JFXX\0', 'thumbnail'],
  ['JP', 'c2pa'],
  ['ICC_PROFILE', 'icc'],
]

export function stripJpeg(file: Buffer, work: Work): Buffer {
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
    parts.push(keptSegment(segment, marker, work) ?? NOTHING)
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

/** Heads of frames are all of C0 to CF but tables and extensions. */
function checkFrame(segment: Buffer, marker: number): void {
  if (marker < 0xc0 || marker > 0xcf || marker === 0xc4 || marker === 0xc8 || marker === 0xcc) return
  checkSize(segment.readUInt16BE(7), segment.readUInt16BE(5))
}

/** Coded pixels go on until a marker that is neither a stuffed byte nor a restart. */
function afterScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const next = file.readUInt8(at + 1)
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  throw new RangeError('cut off')
}

/** Application's segments, but the one that says which colours these are, and comments. */
function mayTell(marker: number): boolean {
  return (marker >= 0xe0 && marker <= 0xef && marker !== 0xee) || marker === 0xfe
}

function keptSegment(segment: Buffer, marker: number, work: Work): Buffer | undefined {
  if (!mayTell(marker)) return segment
  const text = segment.toString('latin1', 4, 40)
  if (work.isOnlyGps) return withoutPlaceInSegment(segment, text, marker, work)
  if (marker === 0xe0 && text.startsWith('JFIF\0'))
    return work.keep.has('dpi') ? segment : withoutDensity(segment, work)
  if (text.startsWith('ICC_PROFILE\0') && work.keep.has('icc')) return segment
  if (text.startsWith('Exif\0\0')) return exifSegment(keptExif(segment.subarray(10), work))
  work.removed.add(segmentName(text, marker))
  return undefined
}

/** Further pictures behind the first have blocks of their own, and a signed record tells of the place too. */
function withoutPlaceInSegment(segment: Buffer, text: string, marker: number, work: Work): Buffer | undefined {
  if (text.startsWith('Exif\0\0'))
    return Buffer.concat([segment.subarray(0, 10), withoutPlace(segment.subarray(10), work)])
  if (text.startsWith('http://ns.adobe.com/')) return withoutPlaceInXmp(segment, work)
  const name = segmentName(text, marker)
  if (name !== 'mpf' && name !== 'c2pa') return segment
  work.removed.add(name)
  return undefined
}

/** The segment has to stay, the size on paper it tells of does not. */
function withoutDensity(segment: Buffer, work: Work): Buffer {
  const plain = Buffer.from('0000010001', 'hex')
  if (segment.length < 16 || segment.subarray(11, 16).equals(plain)) return segment
  work.removed.add('dpi')
  return Buffer.concat([segment.subarray(0, 11), plain, segment.subarray(16)])
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

import { Problem } from '#kit'
import { type TagValue, tagsIn } from './exif-shape.ts'
import { type Stripping, withoutPlace } from './strip-place-shape.ts'

const MOST_PIXELS = 100_000_000

export type Kept = 'orientation' | 'icc' | 'copyright' | 'dpi'

export type Work = Stripping

const KEPT_TAGS = [
  [0x0112, 'Orientation', 'orientation'],
  [0x013b, 'Artist', 'copyright'],
  [0x011a, 'XResolution', 'dpi'],
  [0x011b, 'YResolution', 'dpi'],
  [0x0128, 'ResolutionUnit', 'dpi'],
  [0x8298, 'Copyright', 'copyright'],
].sort(([left], [right]) => Number(left) - Number(right)) as [number, string, Kept][]

/** Numbers of which a fraction is kept. */
const FRACTIONS = new Set([0x011a, 0x011b])
const FRACTION = 1000

/** A small EXIF block with what is kept of the old one; nothing where that is nothing. */
export function keptExif(block: Buffer, work: Work): Buffer | undefined {
  if (work.isOnlyGps) return withoutPlace(block, work)
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
  if (FRACTIONS.has(tag)) {
    const fraction = Buffer.alloc(8)
    fraction.writeUInt32BE(Math.round(Number([value].flat()[0]) * FRACTION) >>> 0, 0)
    fraction.writeUInt32BE(FRACTION, 4)
    entry.writeUInt16BE(5, 2)
    entry.writeUInt32BE(1, 4)
    entry.writeUInt32BE(place, 8)
    return { entry, text: fraction }
  }
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

/** Nothing is decoded here, but what no other operation would take is not handed back as a picture either. */
export function checkSize(width: number, height: number): void {
  if (width === 0 || height === 0) throw new RangeError('no pixels')
  if (width * height > MOST_PIXELS)
    throw new Problem('TOO_MANY_PIXELS', { limit: MOST_PIXELS, actual: width * height, of: 'the picture' })
}

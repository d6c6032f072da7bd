import { Problem } from '#kit'
import { readTags, type TagValue } from './exif.ts'
import { removeLocation, type StripState } from './strip-gps.ts'

const MAX_PIXELS = 100_000_000

export type KeepableMetadata = 'orientation' | 'icc' | 'copyright' | 'dpi'

const KEPT_TAGS = [
  [0x0112, 'Orientation', 'orientation'],
  [0x013b, 'Artist', 'copyright'],
  [0x011a, 'XResolution', 'dpi'],
  [0x011b, 'YResolution', 'dpi'],
  [0x0128, 'ResolutionUnit', 'dpi'],
  [0x8298, 'Copyright', 'copyright'],
].sort(([left], [right]) => Number(left) - Number(right)) as [number, string, KeepableMetadata][]

/** Tags whose numbers are written as fractions. */
const FRACTION_TAGS = new Set([0x011a, 0x011b])
const DENOMINATOR = 1000

/** Builds a small EXIF block with the tags to keep; undefined if there are none. */
export function filterExif(block: Buffer, state: StripState): Buffer | undefined {
  if (state.isOnlyGps) return removeLocation(block, state)
  const tags = readTags(block)
  state.removed.add('exif')
  if (tags.GPSLatitude !== undefined || tags.GPSLongitude !== undefined) state.hadGps = true
  if (state.hadGps) state.removed.add('gps')
  const found = KEPT_TAGS.filter(([, name, metadata]) => state.keep.has(metadata) && tags[name] !== undefined)
  if (found.length === 0) return undefined
  const texts: Buffer[] = []
  let offset = 8 + 2 + found.length * 12 + 4
  const entries = found.map(([tag, name]) => {
    const { entry, text } = buildEntry(tag, tags[name]!, offset)
    texts.push(text)
    offset += text.length
    return entry
  })
  const head = Buffer.from('MM\0*\0\0\0\x08', 'latin1')
  return Buffer.concat([head, Buffer.from([0, entries.length]), ...entries, Buffer.alloc(4), ...texts])
}

/** Builds a directory entry, and the value stored at `offset` if it does not fit into the entry. */
function buildEntry(tag: number, value: TagValue, offset: number): { entry: Buffer; text: Buffer } {
  const entry = Buffer.alloc(12)
  const none = Buffer.alloc(0)
  entry.writeUInt16BE(tag, 0)
  if (FRACTION_TAGS.has(tag)) {
    const fraction = Buffer.alloc(8)
    fraction.writeUInt32BE(Math.round(Number([value].flat()[0]) * DENOMINATOR) >>> 0, 0)
    fraction.writeUInt32BE(DENOMINATOR, 4)
    entry.writeUInt16BE(5, 2)
    entry.writeUInt32BE(1, 4)
    entry.writeUInt32BE(offset, 8)
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
  if (text.length > 4) entry.writeUInt32BE(offset, 8)
  else text.copy(entry, 8)
  return { entry, text: text.length > 4 ? text : none }
}

/** Nothing is decoded here, but an image too large for every other operation is rejected here as well. */
export function checkPixels(width: number, height: number): void {
  if (width === 0 || height === 0) throw new RangeError('no pixels')
  if (width * height > MAX_PIXELS)
    throw new Problem('TOO_MANY_PIXELS', { limit: MAX_PIXELS, actual: width * height, of: 'the picture' })
}

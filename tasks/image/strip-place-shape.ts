import { removeTags } from './tiff-edit-shape.ts'

/** What a caller wants to keep, and what was found on the way. */
export interface Stripping {
  keep: ReadonlySet<string>
  /** Nothing but the place goes. */
  isOnlyGps: boolean
  removed: Set<string>
  hadGps: boolean
}

/** What a tag of a TIFF tells besides the picture. */
const TAGS: Record<string, readonly number[]> = {
  // Where it was taken, and where on the map it lies.
  gps: [34_853, 33_550, 33_922, 34_264, 34_735, 34_736, 34_737],
  // Titles, cameras, programs, times, people and computers, and the directory with the rest of that.
  exif: [269, 270, 271, 272, 285, 305, 306, 315, 316, 33_432, 34_665, 40_091, 40_092, 40_093, 40_094, 40_095, 42_112],
  xmp: [700],
  iptc: [33_723, 34_377],
  layers: [37_724, 50_255],
  icc: [34_675],
  orientation: [274],
  dpi: [282, 283, 296],
}

export const NAMES = new Map(Object.entries(TAGS).flatMap(([name, tags]) => tags.map(tag => [tag, name] as const)))
const COPYRIGHT = new Set([315, 33_432])

/** Which tags of a TIFF or an EXIF block a caller does not want. */
export function isUnwanted({ keep, isOnlyGps }: Pick<Stripping, 'keep' | 'isOnlyGps'>): (tag: number) => boolean {
  return tag => {
    const name = NAMES.get(tag)
    if (name === undefined) return false
    if (isOnlyGps) return name === 'gps'
    return !keep.has(name) && !(COPYRIGHT.has(tag) && keep.has('copyright'))
  }
}

/** An EXIF block without the place, everything else where it was; as it came where it cannot be read. */
export function withoutPlace(block: Buffer, work: Stripping): Buffer {
  const made = Buffer.from(block)
  const start = block.toString('latin1', 0, 6) === 'Exif\0\0' ? 6 : 0
  if (removeTags(made.subarray(start), isUnwanted({ keep: work.keep, isOnlyGps: true })).size === 0) return made
  work.hadGps = true
  work.removed.add('gps')
  return made
}

const PLACE_AS_ATTRIBUTE = /\bexif:GPS\w+\s*=\s*("[^"]*"|'[^']*')/g
const PLACE_AS_ELEMENT = /<exif:GPS(\w+)\b[^>]*>[^<]*<\/exif:GPS\1>/g

/** XMP of the same length, with blanks where the place stood. */
export function withoutPlaceInXmp(xmp: Buffer, work: Stripping): Buffer {
  const text = xmp.toString('latin1')
  const blank = (found: string) => ' '.repeat(found.length)
  const made = text.replace(PLACE_AS_ATTRIBUTE, blank).replace(PLACE_AS_ELEMENT, blank)
  if (made === text) return xmp
  work.hadGps = true
  work.removed.add('gps')
  return Buffer.from(made, 'latin1')
}

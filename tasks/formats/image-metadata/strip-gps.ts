import { removeTags } from './tiff-editor.ts'

/** The metadata to keep, and what was found and removed. */
export interface StripState {
  keep: ReadonlySet<string>
  /** Only the location is removed. */
  isOnlyGps: boolean
  removed: Set<string>
  hadGps: boolean
}

/** TIFF tags that hold metadata, by kind. */
const METADATA_TAGS: Record<string, readonly number[]> = {
  // The GPS directory, and GeoTIFF tags.
  gps: [34_853, 33_550, 33_922, 34_264, 34_735, 34_736, 34_737],
  // Titles, cameras, software, times, people, computers, and the EXIF directory.
  exif: [269, 270, 271, 272, 285, 305, 306, 315, 316, 33_432, 34_665, 40_091, 40_092, 40_093, 40_094, 40_095, 42_112],
  xmp: [700],
  iptc: [33_723, 34_377],
  layers: [37_724, 50_255],
  icc: [34_675],
  orientation: [274],
  dpi: [282, 283, 296],
}

export const METADATA_BY_TAG = new Map(
  Object.entries(METADATA_TAGS).flatMap(([name, tags]) => tags.map(tag => [tag, name] as const)),
)
const COPYRIGHT_TAGS = new Set([315, 33_432])

/** Creates the test for tags of a TIFF or EXIF block that are to be removed. */
export function createUnwantedTest({
  keep,
  isOnlyGps,
}: Pick<StripState, 'keep' | 'isOnlyGps'>): (tag: number) => boolean {
  return tag => {
    const name = METADATA_BY_TAG.get(tag)
    if (name === undefined) return false
    if (isOnlyGps) return name === 'gps'
    return !keep.has(name) && !(COPYRIGHT_TAGS.has(tag) && keep.has('copyright'))
  }
}

/** Removes the location from an EXIF block; everything else stays in place. */
export function removeLocation(block: Buffer, state: StripState): Buffer {
  const result = Buffer.from(block)
  const start = block.toString('latin1', 0, 6) === 'Exif\0\0' ? 6 : 0
  if (removeTags(result.subarray(start), createUnwantedTest({ keep: state.keep, isOnlyGps: true })).size === 0)
    return result
  state.hadGps = true
  state.removed.add('gps')
  return result
}

const LOCATION_ATTRIBUTE = /\bexif:GPS\w+\s*=\s*("[^"]*"|'[^']*')/g
const LOCATION_ELEMENT = /<exif:GPS(\w+)\b[^>]*>[^<]*<\/exif:GPS\1>/g

/** Replaces the location in XMP by blanks, so that the length stays the same. */
export function removeXmpLocation(xmp: Buffer, state: StripState): Buffer {
  const text = xmp.toString('latin1')
  const blank = (found: string) => ' '.repeat(found.length)
  const result = text.replace(LOCATION_ATTRIBUTE, blank).replace(LOCATION_ELEMENT, blank)
  if (result === text) return xmp
  state.hadGps = true
  state.removed.add('gps')
  return Buffer.from(result, 'latin1')
}

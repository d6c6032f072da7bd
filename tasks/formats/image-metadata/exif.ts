export type TagValue = string | number | number[]
type Tags = Record<string, TagValue>

/** Names of common tags; other tags are listed by number. */
const TAG_NAMES: Record<number, string> = {
  256: 'ImageWidth',
  257: 'ImageHeight',
  270: 'ImageDescription',
  271: 'Make',
  272: 'Model',
  274: 'Orientation',
  282: 'XResolution',
  283: 'YResolution',
  296: 'ResolutionUnit',
  305: 'Software',
  306: 'ModifyDate',
  315: 'Artist',
  33432: 'Copyright',
  33434: 'ExposureTime',
  33437: 'FNumber',
  34850: 'ExposureProgram',
  34855: 'ISO',
  36864: 'ExifVersion',
  36867: 'DateTimeOriginal',
  36868: 'CreateDate',
  36880: 'OffsetTime',
  36881: 'OffsetTimeOriginal',
  37377: 'ShutterSpeedValue',
  37378: 'ApertureValue',
  37380: 'ExposureCompensation',
  37383: 'MeteringMode',
  37385: 'Flash',
  37386: 'FocalLength',
  37521: 'SubSecTimeOriginal',
  40961: 'ColorSpace',
  40962: 'ExifImageWidth',
  40963: 'ExifImageHeight',
  41986: 'ExposureMode',
  41987: 'WhiteBalance',
  41989: 'FocalLengthIn35mmFormat',
  42033: 'SerialNumber',
  42034: 'LensInfo',
  42035: 'LensMake',
  42036: 'LensModel',
}

const GPS_TAG_NAMES: Record<number, string> = {
  1: 'GPSLatitudeRef',
  2: 'GPSLatitude',
  3: 'GPSLongitudeRef',
  4: 'GPSLongitude',
  5: 'GPSAltitudeRef',
  6: 'GPSAltitude',
  7: 'GPSTimeStamp',
  16: 'GPSImgDirectionRef',
  17: 'GPSImgDirection',
  29: 'GPSDateStamp',
}

const EXIF_POINTER = 34665
const GPS_POINTER = 34853
const MAX_ENTRIES = 1000
const MAX_VALUES = 64

/** Reads all tags of an EXIF block, from its first directory and the EXIF and GPS directories. Damaged parts are skipped. */
export function readTags(block: Uint8Array): Tags {
  const start = Buffer.from(block.subarray(0, 4)).toString('latin1') === 'Exif' ? 6 : 0
  const view = new DataView(block.buffer, block.byteOffset + start, Math.max(0, block.byteLength - start))
  const tags: Tags = {}
  try {
    const isLittle = view.getUint16(0) === 0x4949
    const reader = { view, isLittle }
    const first = readDirectory(reader, view.getUint32(4, isLittle), TAG_NAMES, tags)
    const exif = first.get(EXIF_POINTER)
    const gps = first.get(GPS_POINTER)
    if (exif !== undefined) readDirectory(reader, exif, TAG_NAMES, tags)
    if (gps !== undefined) readDirectory(reader, gps, GPS_TAG_NAMES, tags)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return tags
}

interface Reader {
  view: DataView
  isLittle: boolean
}

/** Reads the entries of one directory into `tags` and returns the offsets of its subdirectories. */
function readDirectory({ view, isLittle }: Reader, at: number, names: Record<number, string>, tags: Tags) {
  const pointers = new Map<number, number>()
  const count = Math.min(MAX_ENTRIES, view.getUint16(at, isLittle))
  for (let index = 0; index < count; index++) {
    const entry = at + 2 + index * 12
    const tag = view.getUint16(entry, isLittle)
    if (tag === EXIF_POINTER || tag === GPS_POINTER) pointers.set(tag, view.getUint32(entry + 8, isLittle))
    else {
      const value = readValue({ view, isLittle }, entry)
      if (value !== undefined) tags[names[tag] ?? `0x${tag.toString(16).padStart(4, '0')}`] = value
    }
  }
  return pointers
}

const TYPE_BYTES: Record<number, number> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8 }

function readValue({ view, isLittle }: Reader, entry: number): TagValue | undefined {
  const type = view.getUint16(entry + 2, isLittle)
  const count = view.getUint32(entry + 4, isLittle)
  const size = TYPE_BYTES[type]
  if (size === undefined || count === 0) return undefined
  const from = size * count <= 4 ? entry + 8 : view.getUint32(entry + 8, isLittle)
  if (from + size * count > view.byteLength) return undefined
  if (type === 2) return readText(view, from, count)
  if (type === 7) return count <= MAX_VALUES ? keepPrintable(readText(view, from, count)) : undefined
  const values = Array.from({ length: Math.min(count, MAX_VALUES) }, (_, index) =>
    readNumber({ view, isLittle }, type, from + index * size),
  )
  if (!values.every(Number.isFinite)) return undefined
  return values.length === 1 ? values[0] : values
}

function readText(view: DataView, from: number, count: number): string {
  const bytes = Buffer.from(view.buffer, view.byteOffset + from, count)
  return bytes
    .toString('utf8')
    .replace(/\0[\s\S]*$/, '')
    .trim()
}

function keepPrintable(text: string): string | undefined {
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined
}

function readNumber({ view, isLittle }: Reader, type: number, at: number): number {
  if (type === 1) return view.getUint8(at)
  if (type === 3) return view.getUint16(at, isLittle)
  if (type === 4) return view.getUint32(at, isLittle)
  if (type === 9) return view.getInt32(at, isLittle)
  return type === 5
    ? view.getUint32(at, isLittle) / view.getUint32(at + 4, isLittle)
    : view.getInt32(at, isLittle) / view.getInt32(at + 4, isLittle)
}

/** The most important tags, with units. */
export function summarizeTags(tags: Tags) {
  const text = (name: string) => (typeof tags[name] === 'string' && tags[name] !== '' ? tags[name] : undefined)
  const number = (name: string) => [tags[name]].flat().find(value => typeof value === 'number')
  const make = text('Make')
  const model = text('Model')
  const camera = model && make && !model.startsWith(make) ? `${make} ${model}` : (model ?? make)
  const exposure = {
    seconds: number('ExposureTime'),
    fNumber: number('FNumber'),
    iso: number('ISO'),
    focalLengthMm: number('FocalLength'),
  }
  const hasExposure = Object.values(exposure).some(value => value !== undefined)
  return {
    camera,
    lens: text('LensModel'),
    exposure: hasExposure ? exposure : undefined,
    takenAt: toIsoTime(text('DateTimeOriginal') ?? text('CreateDate'), text('OffsetTimeOriginal')),
    gps: readLocation(tags),
  }
}

/** `2026:11:20 14:00:00` as ISO 8601; without a zone if none is known. */
function toIsoTime(text: string | undefined, offset: string | undefined): string | undefined {
  const parts = text?.match(/^(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d:\d\d:\d\d)/)
  if (!parts) return undefined
  const zone = offset && /^[+-]\d\d:\d\d$|^Z$/.test(offset) ? offset : ''
  return `${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}${zone}`
}

function readLocation(tags: Tags): { lat: number; lon: number; alt?: number } | undefined {
  const lat = toDegrees(tags.GPSLatitude, tags.GPSLatitudeRef === 'S')
  const lon = toDegrees(tags.GPSLongitude, tags.GPSLongitudeRef === 'W')
  if (lat === undefined || lon === undefined) return undefined
  const height = typeof tags.GPSAltitude === 'number' ? tags.GPSAltitude : undefined
  return { lat, lon, alt: height === undefined ? undefined : height * (tags.GPSAltitudeRef === 1 ? -1 : 1) }
}

function toDegrees(value: TagValue | undefined, isNegative: boolean): number | undefined {
  const parts = [value].flat().filter(part => typeof part === 'number')
  if (parts.length === 0) return undefined
  const [whole = 0, minutes = 0, seconds = 0] = parts
  const sum = Math.round((whole + minutes / 60 + seconds / 3600) * 1e7) / 1e7
  return isNegative ? -sum : sum
}

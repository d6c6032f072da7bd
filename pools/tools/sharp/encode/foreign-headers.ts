import type { Size } from '../../../../tasks/formats/geometry/region.ts'
/** Formats that this build of libvips cannot decode. */
export type ForeignFormat = 'heic' | 'bmp' | 'ico' | 'jp2' | 'jxl' | 'psd'

const HEIC_BRANDS = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'hevm', 'hevs'])
const GENERAL_BRANDS = new Set(['mif1', 'msf1'])
const BOX_FORMATS: Record<string, ForeignFormat> = { 'jP  ': 'jp2', 'JXL ': 'jxl' }

export function detectForeignFormat(header: Buffer): ForeignFormat | undefined {
  if (header.length < 16) return undefined
  const start = header.toString('latin1', 0, 4)
  if (start.startsWith('BM') && header.readUInt32LE(14) <= 124) return 'bmp'
  if (start === '\0\0\x01\0') return 'ico'
  if (start === '8BPS') return 'psd'
  if (start === '\xff\x4f\xff\x51') return 'jp2'
  if (start.startsWith('\xff\x0a')) return 'jxl'
  const box = header.toString('latin1', 4, 8)
  if (box === 'ftyp') return isHeic(header) ? 'heic' : undefined
  return start === '\0\0\0\x0c' ? BOX_FORMATS[box] : undefined
}

function isHeic(header: Buffer): boolean {
  const brand = header.toString('latin1', 8, 12)
  if (HEIC_BRANDS.has(brand)) return true
  const brands = header.toString('latin1', 16, Math.min(header.length, header.readUInt32BE(0)))
  return GENERAL_BRANDS.has(brand) && !brands.includes('avif')
}

/** Undefined if the header is too short, and for HEIC, whose header libvips reads itself. */
export function readForeignSize(format: ForeignFormat, header: Buffer): Size | undefined {
  try {
    const size = SIZE_READERS[format]?.(header)
    return size && size.width > 0 && size.height > 0 ? size : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const SIZE_READERS: Partial<Record<ForeignFormat, (header: Buffer) => Size | undefined>> = {
  bmp: header =>
    header.readUInt32LE(14) === 12
      ? { width: header.readUInt16LE(18), height: header.readUInt16LE(20) }
      : { width: Math.abs(header.readInt32LE(18)), height: Math.abs(header.readInt32LE(22)) },
  psd: header => ({ width: header.readUInt32BE(18), height: header.readUInt32BE(14) }),
  ico: header => findLargestIcon(header),
  jp2: header => readJp2Size(header),
  jxl: header => readJxlSize(header),
}

interface Icon extends Size {
  index: number
  start: number
  sizeBytes: number
}

/** The icon with the most pixels; among equals the one with the most bits per pixel. */
export function findLargestIcon(header: Buffer): Icon | undefined {
  const icons = Array.from({ length: header.readUInt16LE(4) }, (_, index) => {
    const entry = 6 + index * 16
    const [width, height] = [header.readUInt8(entry) || 256, header.readUInt8(entry + 1) || 256]
    const bits = header.readUInt16LE(entry + 6)
    return {
      index,
      width,
      height,
      bits,
      sizeBytes: header.readUInt32LE(entry + 8),
      start: header.readUInt32LE(entry + 12),
    }
  })
  return icons.sort((a, b) => b.width * b.height - a.width * a.height || b.bits - a.bits)[0]
}

function readJp2Size(header: Buffer): Size | undefined {
  if (header.readUInt16BE(0) === 0xff4f) {
    const [x, y, fromX, fromY] = [8, 12, 16, 20].map(offset => header.readUInt32BE(offset)) as [
      number,
      number,
      number,
      number,
    ]
    return { width: x - fromX, height: y - fromY }
  }
  const box = header.indexOf('ihdr', 0, 'latin1')
  return box < 0 ? undefined : { height: header.readUInt32BE(box + 4), width: header.readUInt32BE(box + 8) }
}

const JXL_RATIOS = [0, 1, 12 / 10, 4 / 3, 3 / 2, 16 / 9, 5 / 4, 2]
const JXL_LENGTH_BITS = [9, 13, 18, 30]

function readJxlSize(header: Buffer): Size | undefined {
  const start = findCodestream(header)
  if (start === undefined || header.readUInt16BE(start) !== 0xff0a) return undefined
  let bitOffset = (start + 2) * 8
  const readBits = (count: number): number => {
    let value = 0
    for (let bit = 0; bit < count; bit++, bitOffset++)
      value += ((header.readUInt8(bitOffset >> 3) >> (bitOffset & 7)) & 1) * 2 ** bit
    return value
  }
  const isSmall = readBits(1) === 1
  const readLength = () => (isSmall ? (readBits(5) + 1) * 8 : readBits(JXL_LENGTH_BITS[readBits(2)]!) + 1)
  const height = readLength()
  const ratio = readBits(3)
  return { height, width: ratio === 0 ? readLength() : Math.floor(height * JXL_RATIOS[ratio]!) }
}

function findCodestream(header: Buffer): number | undefined {
  if (header.readUInt16BE(0) === 0xff0a) return 0
  const codestreamBox = header.indexOf('jxlc', 0, 'latin1')
  if (codestreamBox >= 0) return codestreamBox + 4
  const partialBox = header.indexOf('jxlp', 0, 'latin1')
  return partialBox < 0 ? undefined : partialBox + 8
}

/** Formats libvips is built without, by their first bytes, and the size they claim. */
export type ForeignFormat = 'heic' | 'bmp' | 'ico' | 'jp2' | 'jxl' | 'psd'

export interface ForeignSize {
  width: number
  height: number
}

const HEIC_BRANDS = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'hevm', 'hevs'])
const GENERAL_BRANDS = new Set(['mif1', 'msf1'])
const BOXED: Record<string, ForeignFormat> = { 'jP  ': 'jp2', 'JXL ': 'jxl' }

export function foreignFormat(head: Buffer): ForeignFormat | undefined {
  if (head.length < 16) return undefined
  const start = head.toString('latin1', 0, 4)
  if (start.startsWith('BM') && head.readUInt32LE(14) <= 124) return 'bmp'
  if (start === '\0\0\x01\0') return 'ico'
  if (start === '8BPS') return 'psd'
  if (start === '\xff\x4f\xff\x51') return 'jp2'
  if (start.startsWith('\xff\x0a')) return 'jxl'
  const box = head.toString('latin1', 4, 8)
  if (box === 'ftyp') return isHeic(head) ? 'heic' : undefined
  return start === '\0\0\0\x0c' ? BOXED[box] : undefined
}

function isHeic(head: Buffer): boolean {
  const brand = head.toString('latin1', 8, 12)
  if (HEIC_BRANDS.has(brand)) return true
  const brands = head.toString('latin1', 16, Math.min(head.length, head.readUInt32BE(0)))
  return GENERAL_BRANDS.has(brand) && !brands.includes('avif')
}

/** Nothing where the head is too short, and for HEIC, whose head libvips does read. */
export function foreignSize(format: ForeignFormat, head: Buffer): ForeignSize | undefined {
  try {
    const size = SIZES[format]?.(head)
    return size && size.width > 0 && size.height > 0 ? size : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const SIZES: Partial<Record<ForeignFormat, (head: Buffer) => ForeignSize | undefined>> = {
  bmp: head =>
    head.readUInt32LE(14) === 12
      ? { width: head.readUInt16LE(18), height: head.readUInt16LE(20) }
      : { width: Math.abs(head.readInt32LE(18)), height: Math.abs(head.readInt32LE(22)) },
  psd: head => ({ width: head.readUInt32BE(18), height: head.readUInt32BE(14) }),
  ico: head => largestIcon(head),
  jp2: head => jp2Size(head),
  jxl: head => jxlSize(head),
}

export interface Icon extends ForeignSize {
  index: number
  start: number
  sizeBytes: number
}

/** The biggest, and of those the one with the most colours. */
export function largestIcon(head: Buffer): Icon | undefined {
  const icons = Array.from({ length: head.readUInt16LE(4) }, (_, index) => {
    const at = 6 + index * 16
    const [width, height] = [head.readUInt8(at) || 256, head.readUInt8(at + 1) || 256]
    const bits = head.readUInt16LE(at + 6)
    return { index, width, height, bits, sizeBytes: head.readUInt32LE(at + 8), start: head.readUInt32LE(at + 12) }
  })
  return icons.sort((a, b) => b.width * b.height - a.width * a.height || b.bits - a.bits)[0]
}

function jp2Size(head: Buffer): ForeignSize | undefined {
  if (head.readUInt16BE(0) === 0xff4f) {
    const [x, y, fromX, fromY] = [8, 12, 16, 20].map(at => head.readUInt32BE(at)) as [number, number, number, number]
    return { width: x - fromX, height: y - fromY }
  }
  const at = head.indexOf('ihdr', 0, 'latin1')
  return at < 0 ? undefined : { height: head.readUInt32BE(at + 4), width: head.readUInt32BE(at + 8) }
}

const RATIOS = [0, 1, 12 / 10, 4 / 3, 3 / 2, 16 / 9, 5 / 4, 2]
const LENGTHS = [9, 13, 18, 30]

function jxlSize(head: Buffer): ForeignSize | undefined {
  const start = codestreamAt(head)
  if (start === undefined || head.readUInt16BE(start) !== 0xff0a) return undefined
  let at = (start + 2) * 8
  const bits = (count: number): number => {
    let value = 0
    for (let bit = 0; bit < count; bit++, at++) value += ((head.readUInt8(at >> 3) >> (at & 7)) & 1) * 2 ** bit
    return value
  }
  const isSmall = bits(1) === 1
  const length = () => (isSmall ? (bits(5) + 1) * 8 : bits(LENGTHS[bits(2)]!) + 1)
  const height = length()
  const ratio = bits(3)
  return { height, width: ratio === 0 ? length() : Math.floor(height * RATIOS[ratio]!) }
}

function codestreamAt(head: Buffer): number | undefined {
  if (head.readUInt16BE(0) === 0xff0a) return 0
  const whole = head.indexOf('jxlc', 0, 'latin1')
  if (whole >= 0) return whole + 4
  const part = head.indexOf('jxlp', 0, 'latin1')
  return part < 0 ? undefined : part + 8
}

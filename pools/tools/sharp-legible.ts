import sharp, { type Sharp } from 'sharp'
import { type Length, type Region, regionOf } from './sharp-geometry.ts'
import { asProblem, openImage, sourceOf } from './sharp-source.ts'

export interface LegibleOptions {
  region?: { x: Length; y: Length; width: Length; height: Length }
  /** Small letters are read better when they are drawn larger. */
  enlarge: number
  /** Light letters on a dark ground are turned round. */
  invert: boolean
  /** Pale pictures get their blacks and whites back. */
  stretch: boolean
  /** Clockwise. */
  rotation: 0 | 90 | 180 | 270
}

export interface LegibleImage {
  bytes?: Uint8Array
  path?: string
  /** Before it was turned. */
  width: number
  height: number
  region: Region
}

const MOST_PIXELS = 25_000_000
const DARK = 110

/** A grey picture on white for reading, upright as its tag says. */
export async function legible([file]: string[], options: LegibleOptions, seconds: number): Promise<LegibleImage> {
  try {
    const source = await sourceOf(file!)
    const whole = { x: 0, y: 0, width: source.width, height: source.height }
    const region = options.region ? regionOf(options.region, source, false) : whole
    const density =
      source.format === 'svg' && !options.region ? 72 * Math.min(4, Math.max(1, options.enlarge)) : undefined
    const image = openImage(source, { page: 0, density })
    image.timeout({ seconds: Math.max(1, Math.floor(seconds)) })
    const { width, height } = sizeOf(region, options.enlarge)
    const grey = cut(image, region, whole)
      .flatten({ background: '#ffffff' })
      .resize({ width, height, fit: 'fill', kernel: 'cubic' })
      .toColourspace('b-w')
    const { data, info } = await grey.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    return { bytes: await finished(data, info, options), width, height, region }
  } catch (error) {
    throw asProblem(error)
  }
}

function cut(image: Sharp, { x, y, width, height }: Region, whole: Region): Sharp {
  const isAll = width === whole.width && height === whole.height
  return isAll ? image : image.extract({ left: x, top: y, width, height })
}

function sizeOf({ width, height }: Region, enlarge: number): { width: number; height: number } {
  const times = Math.min(enlarge, Math.sqrt(MOST_PIXELS / (width * height)))
  return { width: Math.max(1, Math.round(width * times)), height: Math.max(1, Math.round(height * times)) }
}

async function finished(
  data: Buffer,
  { width, height, channels }: { width: number; height: number; channels: 1 | 2 | 3 | 4 },
  { invert, stretch, rotation }: LegibleOptions,
): Promise<Uint8Array> {
  const grey = () => sharp(data, { raw: { width, height, channels } })
  const isDark = invert && (await grey().stats()).channels[0]!.mean < DARK
  let image = grey()
  if (isDark) image = image.negate()
  if (stretch) image = image.normalise()
  return image.rotate(rotation).png({ compressionLevel: 1 }).toBuffer()
}

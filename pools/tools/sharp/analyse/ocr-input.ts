import sharp, { type Sharp } from 'sharp'
import type { FileContent } from '#kit'
import type { Region, Size } from '../../../../tasks/formats/geometry/region.ts'
import { type RelativeRegion, resolveRegion } from '../edit/geometry.ts'
import { openImage, readSource, toProblem } from '../source.ts'

export interface OcrInputOptions {
  region?: RelativeRegion
  /** Scale factor: small text is recognized better when it is enlarged. */
  enlarge: number
  /** Inverts images with light text on a dark background. */
  invert: boolean
  /** Stretches the contrast to the full range. */
  stretch: boolean
  /** Clockwise. */
  rotation: 0 | 90 | 180 | 270
}

/** The size is that before the rotation. */
export interface OcrInput extends FileContent, Size {
  /** The part of the original image that is shown. */
  region: Region
}

const MAX_PIXELS = 25_000_000
const DARK_MEAN = 110

/** A grey image on white, in display orientation. */
export async function prepareOcrInput([file]: string[], options: OcrInputOptions, seconds: number): Promise<OcrInput> {
  try {
    const source = await readSource(file!)
    const fullRegion = { x: 0, y: 0, width: source.width, height: source.height }
    const region = options.region ? resolveRegion(options.region, source, false) : fullRegion
    const density =
      source.format === 'svg' && !options.region ? 72 * Math.min(4, Math.max(1, options.enlarge)) : undefined
    const image = openImage(source, { page: 0, density })
    image.timeout({ seconds: Math.max(1, Math.floor(seconds)) })
    const { width, height } = scaleRegion(region, options.enlarge)
    const grey = cutRegion(image, region, fullRegion)
      .flatten({ background: '#ffffff' })
      .resize({ width, height, fit: 'fill', kernel: 'cubic' })
      .toColourspace('b-w')
    const { data, info } = await grey.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    return { bytes: await encodeOcrInput(data, info, options), width, height, region }
  } catch (error) {
    throw toProblem(error)
  }
}

function cutRegion(image: Sharp, { x, y, width, height }: Region, fullRegion: Region): Sharp {
  const isWhole = width === fullRegion.width && height === fullRegion.height
  return isWhole ? image : image.extract({ left: x, top: y, width, height })
}

function scaleRegion({ width, height }: Region, enlarge: number): Size {
  const factor = Math.min(enlarge, Math.sqrt(MAX_PIXELS / (width * height)))
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}

async function encodeOcrInput(
  data: Buffer,
  { width, height, channels }: { width: number; height: number; channels: 1 | 2 | 3 | 4 },
  { invert, stretch, rotation }: OcrInputOptions,
): Promise<Uint8Array> {
  const grey = () => sharp(data, { raw: { width, height, channels } })
  const isDark = invert && (await grey().stats()).channels[0]!.mean < DARK_MEAN
  let image = grey()
  if (isDark) image = image.negate()
  if (stretch) image = image.normalise()
  return image.rotate(rotation).png({ compressionLevel: 1 }).toBuffer()
}

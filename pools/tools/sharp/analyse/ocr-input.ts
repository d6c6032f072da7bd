import sharp, { type Sharp } from 'sharp'
import type { FileContent } from '#kit'
import type { Rulings } from '../../../../tasks/engines/page-tables/rulings.ts'
import type { Region, Size } from '../../../../tasks/formats/geometry/region.ts'
import { type RelativeRegion, resolveRegion } from '../edit/geometry.ts'
import { openImage, readSource, toProblem } from '../source.ts'
import { eraseLines, findLines, toRulings } from './rulings.ts'
import type { GrayRaster } from './runs.ts'
import { findSkew } from './skew.ts'

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
  /** Of a document of several pages, from 0. */
  page?: number
  /** Levels lines of text that rise or fall. */
  levels?: boolean
  /** Levels the image within its size, and finds and erases its straight lines. A small image is enlarged for it. */
  findsRulings?: boolean
}

/** The size is that before the rotation. */
export interface OcrInput extends FileContent, Size {
  /** The part of the original image that is shown. */
  region: Region
  /** By how many degrees the lines fell to the right on the rotated image, before it was levelled about its centre. */
  skew: number
  /** In pixels of the rotated image. */
  rulings?: Rulings
}

const MAX_PIXELS = 25_000_000
const WHITE = { background: '#ffffff' }
const DARK_MEAN = 110
/** An A4 page of 200 dots per inch. */
const MIN_SIDE = 2300

/** A grey image on white, in display orientation. */
export async function prepareOcrInput([file]: string[], options: OcrInputOptions, seconds: number): Promise<OcrInput> {
  try {
    const source = await readSource(file!)
    const fullRegion = { x: 0, y: 0, width: source.width, height: source.height }
    const region = options.region ? resolveRegion(options.region, source, false) : fullRegion
    const density =
      source.format === 'svg' && !options.region ? 72 * Math.min(4, Math.max(1, options.enlarge)) : undefined
    const image = openImage(source, { page: options.page ?? 0, density })
    image.timeout({ seconds: Math.max(1, Math.floor(seconds)) })
    const isSmall = options.findsRulings && Math.max(region.width, region.height) < MIN_SIDE
    const { width, height } = scaleRegion(region, isSmall ? Math.max(2, options.enlarge) : options.enlarge)
    const grey = cutRegion(image, region, fullRegion)
      .flatten({ background: '#ffffff' })
      .resize({ width, height, fit: 'fill', kernel: 'cubic' })
      .toColourspace('b-w')
    const { data, info } = await grey.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    const size = { width, height, region }
    if (!options.findsRulings) return { ...(await encodeOcrInput(data, info, options)), ...size }
    return { ...(await eraseRulings(data, info, options)), ...size, skew: 0 }
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

/** Text on a page that falls less is read as well as level text. */
const MIN_SKEW_DEGREES = 0.3
/** Lines that are less askew are read as they are, and sharper than once they are turned. */
const MIN_TEXT_SKEW_DEGREES = 2

async function eraseRulings(data: Buffer, size: Size, { rotation }: OcrInputOptions) {
  const upright = await readRaw(openRaw(data, size).rotate(rotation))
  const level = await levelImage(upright)
  const lines = findLines(level)
  eraseLines(level, lines)
  const bytes = await openRaw(level.data, level).png({ compressionLevel: 1 }).toBuffer()
  return { bytes, rulings: toRulings(lines) }
}

/** Rotates about the centre, so that everything but the corners stays about where it was. */
async function levelImage(image: GrayRaster): Promise<GrayRaster> {
  const skew = await findSkew(openRaw(image.data, image))
  if (Math.abs(skew) < MIN_SKEW_DEGREES) return image
  const turned = await readRaw(openRaw(image.data, image).rotate(-skew, WHITE))
  const { width, height } = image
  const [left, top] = [Math.floor((turned.width - width) / 2), Math.floor((turned.height - height) / 2)]
  return readRaw(openRaw(turned.data, turned).extract({ left, top, width, height }))
}

function openRaw(data: Uint8Array, { width, height }: Size): Sharp {
  return sharp(data, { raw: { width, height, channels: 1 } })
}

async function readRaw(image: Sharp): Promise<GrayRaster> {
  const { data, info } = await image.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

async function encodeOcrInput(
  data: Buffer,
  { width, height, channels }: { width: number; height: number; channels: 1 | 2 | 3 | 4 },
  { invert, stretch, rotation, levels }: OcrInputOptions,
): Promise<{ bytes: Uint8Array; skew: number }> {
  const grey = () => sharp(data, { raw: { width, height, channels } })
  const isDark = invert && (await grey().stats()).channels[0]!.mean < DARK_MEAN
  let image = grey()
  if (isDark) image = image.negate()
  if (stretch) image = image.normalise()
  const upright = await readRaw(image.rotate(rotation))
  const skew = levels ? await findSkew(openRaw(upright.data, upright)) : 0
  const isLevel = Math.abs(skew) < MIN_TEXT_SKEW_DEGREES
  const level = isLevel ? upright : await readRaw(openRaw(upright.data, upright).rotate(-skew, WHITE))
  return {
    bytes: await openRaw(level.data, level).png({ compressionLevel: 1 }).toBuffer(),
    skew: isLevel ? 0 : skew,
  }
}

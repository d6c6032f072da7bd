import { readFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import { Problem } from '#kit'
import { parseColor } from '../output.ts'
import { joinTiffs } from './tiff.ts'

export interface RenderedPageOptions {
  format: 'png' | 'jpeg' | 'webp' | 'tiff'
  quality: number
  background: string
  grayscale: boolean
  /** Written into the output. */
  dpi: number
}

const PNM_HEADER = /^P([56])\s+(\d+)\s+(\d+)\s+255\s/
const WEBP_EFFORT = 2

/** Encodes a rendered page: an opaque PNM, or a transparent PNG. */
export async function encodePage(
  [file]: string[],
  options: RenderedPageOptions,
  seconds: number,
): Promise<{ bytes: Buffer }> {
  const { format, quality, grayscale, dpi } = options
  const page = await applyBackground(await openRendered(file!), options)
  const toned = grayscale ? page.grayscale().toColourspace('b-w') : page.toColourspace('srgb')
  const image = toned.timeout({ seconds: Math.max(1, Math.floor(seconds)) }).withDensity(dpi)
  if (format === 'png') return { bytes: await image.png({ compressionLevel: 6 }).toBuffer() }
  if (format === 'jpeg') return { bytes: await image.jpeg({ quality }).toBuffer() }
  if (format === 'webp') return { bytes: await image.webp({ quality, effort: WEBP_EFFORT }).toBuffer() }
  const perMillimetre = dpi / 25.4
  const density = { xres: perMillimetre, yres: perMillimetre, resolutionUnit: 'inch' as const }
  return { bytes: await image.tiff({ compression: 'deflate', predictor: 'horizontal', ...density }).toBuffer() }
}

export interface ExtractedImageOptions {
  format: 'png' | 'jpeg'
  /** The image has at most two colours. */
  isBilevel: boolean
  isGrey: boolean
}

const JPEG_QUALITY = 90

/** Encodes an image extracted from a PDF. Opaque images get no alpha channel, grey ones a single channel. */
export async function encodeImage([file]: string[], options: ExtractedImageOptions, seconds: number) {
  const { format, isBilevel, isGrey } = options
  const image = sharp(file, { limitInputPixels: false }).timeout({ seconds: Math.max(1, Math.floor(seconds)) })
  if (format === 'jpeg') {
    const opaque = image.flatten({ background: '#ffffff' })
    return { bytes: await (isGrey ? opaque.toColourspace('b-w') : opaque).jpeg({ quality: JPEG_QUALITY }).toBuffer() }
  }
  const { isOpaque } = await sharp(file, { limitInputPixels: false }).stats()
  if (isOpaque) image.removeAlpha()
  if (isGrey && isOpaque) image.toColourspace('b-w')
  const palette = isBilevel ? { palette: true, colours: 2, dither: 0, effort: 1 } : {}
  return { bytes: await image.png({ compressionLevel: 6, ...palette }).toBuffer() }
}

/** Joins single-page TIFFs into one file of several pages. */
export async function joinTiffPages(files: string[]): Promise<{ bytes: Buffer }> {
  return { bytes: joinTiffs(await Promise.all(files.map(file => readFile(file)))) }
}

export async function openRendered(file: string): Promise<Sharp> {
  const bytes = await readFile(file)
  const header = PNM_HEADER.exec(bytes.subarray(0, 64).toString('latin1'))
  if (!header) return sharp(bytes, { limitInputPixels: false })
  const [whole, kind, width, height] = header
  const raw = { width: Number(width), height: Number(height), channels: kind === '5' ? (1 as const) : (3 as const) }
  const pixels = bytes.subarray(whole.length)
  if (pixels.length < raw.width * raw.height * raw.channels) throw new Problem('PDF_PARSE_FAILED')
  return sharp(pixels, { raw, limitInputPixels: false })
}

/** Rotates a rendered page clockwise by any angle, in shades of grey, on white and with all of its corners. */
export async function rotateRendering([file]: string[], { degrees }: { degrees: number }): Promise<{ bytes: Buffer }> {
  const image = (await openRendered(file!)).grayscale().toColourspace('b-w')
  return { bytes: await image.rotate(degrees, { background: '#ffffff' }).png({ compressionLevel: 1 }).toBuffer() }
}

/** Puts a semi-transparent background under the page; flattens the page onto an opaque one. */
async function applyBackground(image: Sharp, { background, format }: RenderedPageOptions): Promise<Sharp> {
  const isJpeg = format === 'jpeg'
  if (background === 'transparent') return isJpeg ? image.flatten({ background: '#ffffff' }) : image
  const color = parseColor('background', background)
  if (isJpeg || !/^#(?:...[^f]|.{6}(?!ff)..)$/i.test(background)) return image.flatten({ background: color })
  const page = await image.png({ compressionLevel: 0 }).toBuffer({ resolveWithObject: true })
  const { width, height } = page.info
  const options = { create: { width, height, channels: 4 as const, background: color }, limitInputPixels: false }
  return sharp(options).composite([{ input: page.data }])
}

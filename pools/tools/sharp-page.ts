import { readFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import { Problem } from '#kit'
import { colorOf } from './sharp-output.ts'
import { joinTiffs } from './tiff-pages.ts'

export interface PageOptions {
  format: 'png' | 'jpeg' | 'webp' | 'tiff'
  quality: number
  background: string
  grayscale: boolean
  /** Pixels an inch, as the picture says of itself. */
  dpi: number
}

const HEAD = /^P([56])\s+(\d+)\s+(\d+)\s+255\s/
const FASTER_WEBP = 2

/** A page as a renderer drew it, on paper as PPM or on nothing as PNG, in the form that was asked for. */
export async function encodePage([file]: string[], options: PageOptions, seconds: number): Promise<{ bytes: Buffer }> {
  const { format, quality, grayscale, dpi } = options
  const drawn = await onGround(await opened(file!), options)
  const toned = grayscale ? drawn.grayscale().toColourspace('b-w') : drawn.toColourspace('srgb')
  const image = toned.timeout({ seconds: Math.max(1, Math.floor(seconds)) }).withDensity(dpi)
  if (format === 'png') return { bytes: await image.png({ compressionLevel: 6 }).toBuffer() }
  if (format === 'jpeg') return { bytes: await image.jpeg({ quality }).toBuffer() }
  if (format === 'webp') return { bytes: await image.webp({ quality, effort: FASTER_WEBP }).toBuffer() }
  const perMillimetre = dpi / 25.4
  const density = { xres: perMillimetre, yres: perMillimetre, resolutionUnit: 'inch' as const }
  return { bytes: await image.tiff({ compression: 'deflate', predictor: 'horizontal', ...density }).toBuffer() }
}

export interface PictureOptions {
  format: 'png' | 'jpeg'
  /** No more than two colours. */
  isBilevel: boolean
  isGrey: boolean
}

const FINE = 90

/** A picture as a renderer drew it on nothing: what lets nothing through needs no alpha, grey needs no colours. */
export async function encodePicture([file]: string[], options: PictureOptions, seconds: number) {
  const { format, isBilevel, isGrey } = options
  const image = sharp(file, { limitInputPixels: false }).timeout({ seconds: Math.max(1, Math.floor(seconds)) })
  if (format === 'jpeg') {
    const flat = image.flatten({ background: '#ffffff' })
    return { bytes: await (isGrey ? flat.toColourspace('b-w') : flat).jpeg({ quality: FINE }).toBuffer() }
  }
  const { isOpaque } = await sharp(file, { limitInputPixels: false }).stats()
  if (isOpaque) image.removeAlpha()
  if (isGrey && isOpaque) image.toColourspace('b-w')
  const palette = isBilevel ? { palette: true, colours: 2, dither: 0, effort: 1 } : {}
  return { bytes: await image.png({ compressionLevel: 6, ...palette }).toBuffer() }
}

/** TIFFs of one page each as one of several pages. */
export async function joinPages(files: string[]): Promise<{ bytes: Buffer }> {
  return { bytes: joinTiffs(await Promise.all(files.map(file => readFile(file)))) }
}

async function opened(file: string): Promise<Sharp> {
  const bytes = await readFile(file)
  const head = HEAD.exec(bytes.subarray(0, 64).toString('latin1'))
  if (!head) return sharp(bytes, { limitInputPixels: false })
  const [whole, kind, width, height] = head
  const raw = { width: Number(width), height: Number(height), channels: kind === '5' ? (1 as const) : (3 as const) }
  const pixels = bytes.subarray(whole.length)
  if (pixels.length < raw.width * raw.height * raw.channels) throw new Problem('PDF_PARSE_FAILED')
  return sharp(pixels, { raw, limitInputPixels: false })
}

/** A ground that lets through itself is laid under the page; any other fills it. */
async function onGround(image: Sharp, { background, format }: PageOptions): Promise<Sharp> {
  const isJpeg = format === 'jpeg'
  if (background === 'transparent') return isJpeg ? image.flatten({ background: '#ffffff' }) : image
  const ground = colorOf('background', background)
  if (isJpeg || !/^#(?:...[^f]|.{6}(?!ff)..)$/i.test(background)) return image.flatten({ background: ground })
  const page = await image.png({ compressionLevel: 0 }).toBuffer({ resolveWithObject: true })
  const { width, height } = page.info
  const options = { create: { width, height, channels: 4 as const, background: ground }, limitInputPixels: false }
  return sharp(options).composite([{ input: page.data }])
}

import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import type { Sharp } from 'sharp'
import type { Warning } from '#kit'
import { bmpFile, icoFile, type PdfPicture, pdfFile } from './picture-files.ts'
import {
  checkSide,
  colorOf,
  type EncodedImage,
  encode,
  type OutputFormat,
  type OutputOptions,
  pageIndex,
  staysAnimated,
  warningsOf,
} from './sharp-output.ts'
import { pageOf } from './sharp-paint.ts'
import { type ImageSource, MOST_PIXELS, openImage, sourceOf } from './sharp-source.ts'
import { decoding } from './sharp-tolerance.ts'

export type ConvertTarget = OutputFormat | 'ico' | 'bmp' | 'pdf'

export interface ConvertOptions extends OutputOptions {
  to: ConvertTarget
  /** Of vector pictures; 96 is their natural size. */
  density: number
  width?: number
  height?: number
  sizes: number[]
}

export interface ConvertedImage extends Omit<EncodedImage, 'format'> {
  format: ConvertTarget
}

const NATURAL_DPI = 96
const LIBRARY_DPI = 72

export function convert([file]: string[], options: ConvertOptions, seconds: number): Promise<ConvertedImage> {
  return decoding(options, async tolerantOptions => {
    const source = await pageOf(await sourceOf(file!), options)
    const { to } = options
    if (to === 'ico' || to === 'bmp' || to === 'pdf') return await WRITERS[to](source, tolerantOptions, seconds)
    const made = await encode(opened(source, { ...tolerantOptions, format: to }, seconds), source, {
      ...tolerantOptions,
      format: to,
    })
    return { ...made, warnings: [...made.warnings, ...gainMapWarning(source)] }
  })
}

/** A vector picture is drawn at the size wanted; all others keep theirs. */
function opened(source: ImageSource, options: ConvertOptions, seconds: number, page?: number): Sharp {
  const { tolerant, width, height } = options
  const scale = scaleOf(source, options)
  const animated = options.to !== 'pdf' && staysAnimated(source, options)
  const size = [source.width, source.height].map(side => Math.max(1, Math.round(side * scale))) as [number, number]
  checkSide(options.format === 'keep' ? 'png' : options.format, ...size, MOST_PIXELS)
  const density = Math.min(100_000, Math.max(1, LIBRARY_DPI * scale))
  const image = openImage(source, { animated, page: page ?? pageIndex(source, options), density, tolerant })
  image.timeout({ seconds: Math.max(1, Math.floor(seconds)) })
  if (source.format === 'svg' && (width ?? height) !== undefined) image.resize({ width, height, fit: 'inside' })
  return image
}

function scaleOf(source: ImageSource, { width, height, density }: ConvertOptions): number {
  if (source.format !== 'svg') return 1
  if (width === undefined && height === undefined) return density / NATURAL_DPI
  return Math.min(width === undefined ? Infinity : width / source.width, (height ?? Infinity) / source.height)
}

function gainMapWarning({ metadata }: ImageSource): Warning[] {
  if (!metadata.gainMap) return []
  return [{ code: 'GAIN_MAP_DROPPED', message: 'The brightness for HDR screens is left out; the picture is SDR.' }]
}

type Writer = (source: ImageSource, options: ConvertOptions, seconds: number) => Promise<ConvertedImage>

const WRITERS: Record<'ico' | 'bmp' | 'pdf', Writer> = {
  async ico(source, options, seconds) {
    const background = { r: 0, g: 0, b: 0, alpha: 0 }
    const parts: { size: number; png: Buffer }[] = []
    for (const size of options.sizes) {
      const image = opened(source, { ...options, format: 'png', width: size, height: undefined }, seconds)
      const fitted = image.resize({ width: size, height: size, fit: 'contain', background }).ensureAlpha()
      parts.push({ size, png: await fitted.png().toBuffer() })
    }
    const side = Math.max(...options.sizes)
    return outcome(source, options, icoFile(parts), { width: side, height: side, pages: parts.length, hasAlpha: true })
  },
  async bmp(source, options, seconds) {
    const image = opened(source, { ...options, format: 'png' }, seconds).toColourspace('srgb')
    const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    const { width, height, channels } = info
    return outcome(source, options, bmpFile({ data, ...info }), { width, height, pages: 1, hasAlpha: channels === 4 })
  },
  async pdf(source, options, seconds) {
    const isDocument = source.frames === 1 && options.page === undefined && options.animation === 'auto'
    const count = isDocument ? source.pages : 1
    const pages: PdfPicture[] = []
    for (let page = 0; page < count; page++)
      pages.push(await pdfPage(source, options, seconds, count > 1 ? page : undefined))
    const { width, height } = pages[0]!
    const made = { width, height, pages: pages.length, hasAlpha: false }
    const { warnings, ...pdf } = outcome(source, options, pdfFile(pages), made)
    return { ...pdf, warnings: count > 1 ? [] : warnings }
  },
}

async function pdfPage(
  source: ImageSource,
  options: ConvertOptions,
  seconds: number,
  page: number | undefined,
): Promise<PdfPicture> {
  const background = options.background === 'transparent' ? '#ffffff' : colorOf('background', options.background)
  const image = opened(source, { ...options, format: 'jpeg' }, seconds, page)
    .flatten({ background })
    .toColourspace('srgb')
  const dpi = options.dpi ?? source.metadata.density ?? LIBRARY_DPI
  const filter = options.lossless ? 'FlateDecode' : 'DCTDecode'
  const made = options.lossless ? image.raw({ depth: 'uchar' }) : image.jpeg({ quality: options.quality ?? 80 })
  const { data, info } = await made.toBuffer({ resolveWithObject: true })
  const bytes = options.lossless ? await promisify(deflate)(data) : data
  return { data: bytes, filter, width: info.width, height: info.height, dpi }
}

function outcome(
  source: ImageSource,
  options: ConvertOptions,
  bytes: Buffer,
  size: Pick<ConvertedImage, 'width' | 'height' | 'pages' | 'hasAlpha'>,
): ConvertedImage {
  const warnings = [...warningsOf(source, { ...options, format: 'png' }), ...gainMapWarning(source)]
  return { bytes, format: options.to, ...size, warnings }
}

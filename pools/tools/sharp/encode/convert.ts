import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import type { Sharp } from 'sharp'
import type { Warning } from '#kit'
import type { TargetFormat } from '../../../../tasks/formats/raster/image.ts'
import { selectPage } from '../edit/draw.ts'
import {
  checkDimensions,
  encode,
  type ImageResult,
  isOutputAnimated,
  type OutputOptions,
  parseColor,
  resolvePageIndex,
  warnAboutDroppedPages,
} from '../output.ts'
import { type ImageSource, MAX_PIXELS, openImage, readSource } from '../source.ts'
import { withTolerance } from '../tolerance.ts'
import { type PdfImage, writeBmp, writeIco, writeImagePdf } from './containers.ts'

export interface ConvertOptions extends OutputOptions {
  to: TargetFormat
  /** Pixels per inch at which vector images are rendered; 96 is their natural size. */
  density: number
  width?: number
  height?: number
  sizes: number[]
}

export interface ConvertedImage extends Omit<ImageResult, 'format'> {
  format: TargetFormat
}

const NATURAL_DPI = 96
const LIBVIPS_DPI = 72

export function convert([file]: string[], options: ConvertOptions, seconds: number): Promise<ConvertedImage> {
  return withTolerance(options, async tolerantOptions => {
    const source = await selectPage(await readSource(file!, options), options)
    const { to } = options
    if (to === 'ico' || to === 'bmp' || to === 'pdf') return await WRITERS[to](source, tolerantOptions, seconds)
    const encoded = await encode(openScaled(source, { ...tolerantOptions, format: to }, seconds), source, {
      ...tolerantOptions,
      format: to,
    })
    return { ...encoded, warnings: [...encoded.warnings, ...warnAboutGainMap(source)] }
  })
}

/** Renders a vector image at the requested size; all others keep their size. */
function openScaled(source: ImageSource, options: ConvertOptions, seconds: number, page?: number): Sharp {
  const { tolerant, width, height } = options
  const scale = computeScale(source, options)
  const animated = options.to !== 'pdf' && isOutputAnimated(source, options)
  const size = [source.width, source.height].map(side => Math.max(1, Math.round(side * scale))) as [number, number]
  checkDimensions(options.format === 'keep' ? 'png' : options.format, ...size, MAX_PIXELS)
  const density = Math.min(100_000, Math.max(1, LIBVIPS_DPI * scale))
  const image = openImage(source, { animated, page: page ?? resolvePageIndex(source, options), density, tolerant })
  image.timeout({ seconds: Math.max(1, Math.floor(seconds)) })
  if (source.format === 'svg' && (width ?? height) !== undefined) image.resize({ width, height, fit: 'inside' })
  return image
}

function computeScale(source: ImageSource, { width, height, density }: ConvertOptions): number {
  if (source.format !== 'svg') return 1
  if (width === undefined && height === undefined) return density / NATURAL_DPI
  return Math.min(width === undefined ? Infinity : width / source.width, (height ?? Infinity) / source.height)
}

function warnAboutGainMap({ metadata }: ImageSource): Warning[] {
  if (!metadata.gainMap) return []
  return [{ code: 'GAIN_MAP_DROPPED', message: 'The HDR gain map is not kept; the output is an SDR image.' }]
}

type Writer = (source: ImageSource, options: ConvertOptions, seconds: number) => Promise<ConvertedImage>

const WRITERS: Record<'ico' | 'bmp' | 'pdf', Writer> = {
  async ico(source, options, seconds) {
    const background = { r: 0, g: 0, b: 0, alpha: 0 }
    const parts: { size: number; png: Buffer }[] = []
    for (const size of options.sizes) {
      const image = openScaled(source, { ...options, format: 'png', width: size, height: undefined }, seconds)
      const fitted = image.resize({ width: size, height: size, fit: 'contain', background }).ensureAlpha()
      parts.push({ size, png: await fitted.png().toBuffer() })
    }
    const side = Math.max(...options.sizes)
    return buildResult(source, options, writeIco(parts), {
      width: side,
      height: side,
      pages: parts.length,
      hasAlpha: true,
    })
  },
  async bmp(source, options, seconds) {
    const image = openScaled(source, { ...options, format: 'png' }, seconds).toColourspace('srgb')
    const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    const { width, height, channels } = info
    return buildResult(source, options, writeBmp({ data, ...info }), {
      width,
      height,
      pages: 1,
      hasAlpha: channels === 4,
    })
  },
  async pdf(source, options, seconds) {
    const isDocument = source.frames === 1 && options.page === undefined && options.animation === 'auto'
    const count = isDocument ? source.pages : 1
    const pages: PdfImage[] = []
    for (let page = 0; page < count; page++)
      pages.push(await renderPdfPage(source, options, seconds, count > 1 ? page : undefined))
    const { width, height } = pages[0]!
    const facts = { width, height, pages: pages.length, hasAlpha: false }
    const { warnings, ...pdf } = buildResult(source, options, writeImagePdf(pages), facts)
    return { ...pdf, warnings: count > 1 ? [] : warnings }
  },
}

async function renderPdfPage(
  source: ImageSource,
  options: ConvertOptions,
  seconds: number,
  page: number | undefined,
): Promise<PdfImage> {
  const background = options.background === 'transparent' ? '#ffffff' : parseColor('background', options.background)
  const image = openScaled(source, { ...options, format: 'jpeg' }, seconds, page)
    .flatten({ background })
    .toColourspace('srgb')
  const dpi = options.dpi ?? source.dpi ?? LIBVIPS_DPI
  const filter = options.lossless ? 'FlateDecode' : 'DCTDecode'
  const encoder = options.lossless ? image.raw({ depth: 'uchar' }) : image.jpeg({ quality: options.quality ?? 80 })
  const { data, info } = await encoder.toBuffer({ resolveWithObject: true })
  const bytes = options.lossless ? await promisify(deflate)(data) : data
  return { data: bytes, filter, width: info.width, height: info.height, dpi }
}

function buildResult(
  source: ImageSource,
  options: ConvertOptions,
  bytes: Buffer,
  size: Pick<ConvertedImage, 'width' | 'height' | 'pages' | 'hasAlpha'>,
): ConvertedImage {
  const warnings = [...warnAboutDroppedPages(source, { ...options, format: 'png' }), ...warnAboutGainMap(source)]
  return { bytes, format: options.to, ...size, warnings }
}

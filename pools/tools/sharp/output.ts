import sharp, { type Color, type Sharp } from 'sharp'
import { Problem, type Warning } from '#kit'
import type { EncodedImage, ImageFormat } from '../../../tasks/formats/raster/image.ts'
import type { ForeignFormat } from './encode/foreign-images.ts'
import { warnOfOutside } from './encode/outside.ts'
import { removeResolution } from './encode/resolution.ts'
import type { ImageSource } from './source.ts'

/** Options that every image operation offers its caller. */
export interface OutputOptions {
  format: ImageFormat | 'keep'
  quality?: number
  lossless: boolean
  background: string
  animation: 'auto' | 'first'
  /** Frame or page, from 1. */
  page?: number
  metadata: 'strip' | 'keep' | 'copyright'
  icc: 'srgb' | 'keep'
  dpi?: number
  tolerant: boolean
  /** The format of the input before an external program converted it; see foreign-images.ts. */
  originalFormat?: ForeignFormat
  encoder?: EncoderOptions
  /** For an animation that was reassembled, or whose own timing is replaced. */
  timing?: AnimationTiming
  /** Writes one channel of grey instead of three of colour. */
  grey?: boolean
}

/** Options that only some operations offer; the encoders below choose a default for what is left out. */
interface EncoderOptions {
  /** 0 to 9 for every format. */
  effort?: number
  chroma?: '420' | '444'
  progressive?: boolean
  bitDepth?: 1 | 2 | 4 | 8 | 16
  palette?: boolean
  mozjpeg?: boolean
}

interface AnimationTiming {
  delay?: number | number[]
  loop?: number
}

export interface ImageResult extends EncodedImage {
  warnings: Warning[]
}

const ANIMATED_FORMATS = new Set<ImageFormat>(['gif', 'webp'])
const MAX_SIDE: Partial<Record<ImageFormat, number>> = { webp: 16_383, avif: 16_383 }

/** Camera formats that few programs can read; with `format: 'keep'` they become JPEG. */
const PHOTO_FORMATS = new Set<ForeignFormat>(['heic', 'jxl', 'jp2'])

export function chooseFormat(source: ImageSource, { format, originalFormat }: OutputOptions): ImageFormat {
  if (format !== 'keep') return format
  if (source.format === 'svg') return 'png'
  const isPhoto = originalFormat && PHOTO_FORMATS.has(originalFormat)
  return isPhoto && !source.metadata.hasAlpha ? 'jpeg' : source.format
}

export function isOutputAnimated(source: ImageSource, options: OutputOptions): boolean {
  const canAnimate = options.animation === 'auto' && options.page === undefined && source.frames > 1
  return canAnimate && ANIMATED_FORMATS.has(chooseFormat(source, options))
}

/** The index of the requested page, from 0. Throws BAD_RANGE if the image has no such page. */
export function resolvePageIndex(source: ImageSource, { page }: OutputOptions): number | undefined {
  if (page === undefined) return undefined
  if (page > source.pages)
    throw new Problem('BAD_RANGE', { field: 'page', segment: String(page), pageCount: source.pages })
  return page - 1
}

export function parseColor(field: string, text: string): Color {
  try {
    sharp({ create: { width: 1, height: 1, channels: 4, background: text } })
    return text
  } catch {
    throw new Problem('INVALID_PARAM', { field, allowed: '#rgb, #rrggbb, #rrggbbaa, a CSS name or transparent' })
  }
}

/** Four bytes: red, green, blue, alpha. */
export function parseRgba(field: string, text: string): Promise<Buffer> {
  return sharp({ create: { width: 1, height: 1, channels: 4, background: parseColor(field, text) } })
    .raw()
    .toBuffer()
}

/** The last steps of every operation: colour, alpha, metadata, encoding. */
export async function encode(image: Sharp, source: ImageSource, options: OutputOptions): Promise<ImageResult> {
  const format = chooseFormat(source, options)
  if (format === 'jpeg') image.flatten({ background: toOpaqueColor(options.background) })
  applyBitDepth(image, source, format, options)
  applyMetadata(image, source, options)
  const dpi = options.dpi ?? source.dpi
  ENCODERS[format](image, { ...options, dpi }, chooseEncoderOptions(source, options))
  const { data, info } = await image.toBuffer({ resolveWithObject: true })
  const pages = await countFrames(data, format, info.pages ?? 1)
  const height = info.pageHeight ?? info.height
  const hasAlpha = info.channels === 4 || info.channels === 2
  return {
    bytes: dpi === undefined ? removeResolution(data, format) : data,
    width: info.width,
    height,
    format,
    pages,
    hasAlpha,
    warnings: [
      ...warnAboutDroppedPages(source, options),
      ...warnAboutLoss(format, options),
      ...(await warnOfOutside(source)),
    ],
  }
}

const ALWAYS_LOSSY = new Set<ImageFormat>(['jpeg', 'gif'])

function warnAboutLoss(format: ImageFormat, { lossless }: OutputOptions): Warning[] {
  if (!lossless || !ALWAYS_LOSSY.has(format)) return []
  const message = `${format} is always lossy, so \`lossless\` had no effect; choose png, webp or avif as the format.`
  return [{ code: 'LOSSLESS_IGNORED', message }]
}

/** Rejects early a size that the encoder would reject after all the work is done. */
export function checkDimensions(format: ImageFormat, width: number, height: number, maxPixels: number): void {
  const limit = MAX_SIDE[format] ?? 32_767
  const side = Math.max(width, height)
  if (side > limit) throw new Problem('TOO_MANY_PIXELS', { limit, actual: side, of: `a side of ${format}` })
  if (width * height > maxPixels)
    throw new Problem('TOO_MANY_PIXELS', { limit: maxPixels, actual: width * height, of: 'the output' })
}

function toOpaqueColor(background: string): Color {
  return background === 'transparent' ? '#ffffff' : parseColor('background', background)
}

/** Keeps 16 bits per channel if the format supports them. */
function applyBitDepth(image: Sharp, { metadata }: ImageSource, format: ImageFormat, options: OutputOptions): void {
  const { grey = false, encoder: { bitDepth } = {} } = options
  const supports16Bit = format === 'png' || format === 'tiff'
  const is16Bit = supports16Bit && (bitDepth === undefined ? metadata.depth === 'ushort' : bitDepth === 16)
  const isGrey = grey || metadata.space === 'grey16'
  if (is16Bit) image.toColourspace(isGrey ? 'grey16' : 'rgb16')
  else if (grey) image.toColourspace('b-w')
}

function applyMetadata(image: Sharp, { metadata }: ImageSource, options: OutputOptions): void {
  if (options.metadata === 'keep') image.keepExif().keepXmp()
  const copyright = options.metadata === 'copyright' && metadata.exif ? readCopyright(metadata.exif) : {}
  if (options.metadata !== 'keep' && (options.dpi !== undefined || Object.keys(copyright).length > 0))
    image.withExif({ IFD0: copyright })
  if (options.dpi !== undefined) image.withDensity(options.dpi)
  // A CMYK profile cannot describe the RGB colours of the output.
  if (options.icc === 'keep' && metadata.space !== 'cmyk') image.keepIccProfile()
}

/** Bit depths below 8 leave no room for an alpha channel. */
function chooseEncoderOptions({ metadata }: ImageSource, { grey, encoder = {} }: OutputOptions): EncoderOptions {
  return grey && metadata.hasAlpha ? { ...encoder, bitDepth: undefined } : encoder
}

type Encoder = (image: Sharp, options: OutputOptions, encoder: EncoderOptions) => unknown

const scaleEffort = (effort: number | undefined, max: number) =>
  effort === undefined ? undefined : Math.round((effort / 9) * max)

const ENCODERS: Record<ImageFormat, Encoder> = {
  jpeg: (image, { quality = 80 }, { chroma, progressive, mozjpeg }) =>
    image.jpeg({ quality, progressive, mozjpeg, chromaSubsampling: chroma === '444' ? '4:4:4' : '4:2:0' }),
  png: (image, { quality }, { progressive, palette, bitDepth, effort }) => {
    const isIndexed = palette || (bitDepth !== undefined && bitDepth < 8)
    const indexed = isIndexed ? { palette: true, quality, colours: 2 ** Math.min(8, bitDepth ?? 8) } : {}
    image.png({ progressive, compressionLevel: scaleEffort(effort, 9), ...indexed })
  },
  webp: (image, { quality = 80, lossless, timing }, { effort }) =>
    image.webp({ quality, lossless, effort: scaleEffort(effort, 6), ...clampDelays(timing) }),
  // The library's default effort takes 20 s for 3 megapixels of noise; effort 2 takes 2 s and the file is smaller.
  avif: (image, { quality = 55, lossless }, { effort = 2, chroma }) =>
    image.avif({ quality, lossless, effort, chromaSubsampling: chroma === '420' ? '4:2:0' : '4:4:4' }),
  gif: (image, { timing }, { effort, bitDepth, progressive }) =>
    image.gif({
      progressive,
      effort: effort === undefined ? undefined : 1 + effort,
      colours: 2 ** Math.min(8, bitDepth ?? 8),
      keepDuplicateFrames: true,
      ...clampDelays(timing),
    }),
  tiff: (image, { quality, dpi }, { bitDepth }) => {
    const compression = quality === undefined || (bitDepth !== undefined && bitDepth !== 8) ? 'deflate' : 'jpeg'
    const bitdepth = bitDepth === 8 || bitDepth === 16 ? undefined : bitDepth
    const perMillimetre = dpi && dpi / 25.4
    image.tiff({ compression, quality, bitdepth, resolutionUnit: 'inch', xres: perMillimetre, yres: perMillimetre })
  },
}

const MAX_DELAY_MS = 65_535

/** GIF frames may have delays that are longer than the encoder accepts. */
function clampDelays(timing: AnimationTiming | undefined): AnimationTiming | undefined {
  if (!Array.isArray(timing?.delay)) return timing
  return { ...timing, delay: timing.delay.map(delay => Math.min(MAX_DELAY_MS, delay)) }
}

/** The WebP encoder merges identical neighbouring frames, so their number is read from the output. */
async function countFrames(bytes: Buffer, format: ImageFormat, pages: number): Promise<number> {
  if (format !== 'webp' || pages === 1) return pages
  return (await sharp(bytes).metadata()).pages ?? 1
}

export function warnAboutDroppedPages(source: ImageSource, options: OutputOptions): ImageResult['warnings'] {
  const isFrameChosen = options.animation === 'first' || options.page !== undefined
  const frames = Math.max(source.frames, source.unreadFrames)
  if (isFrameChosen || Math.max(source.pages, frames) === 1 || isOutputAnimated(source, options)) return []
  if (frames > 1) return [{ code: 'ANIMATION_FLATTENED', message: `Only the first of ${frames} frames is kept.` }]
  const message = `Only the first of ${source.pages} pages is kept; use \`page\` to select another.`
  return [{ code: 'PAGES_DROPPED', message }]
}

const COPYRIGHT_TAGS: Record<number, string> = { 315: 'Artist', 33432: 'Copyright' }
const ASCII_TYPE = 2

/** Author and copyright from the first directory of an EXIF block. */
function readCopyright(exif: Buffer): Record<string, string> {
  const tiff = exif.subarray(exif.subarray(0, 4).toString('latin1') === 'Exif' ? 6 : 0)
  const isLittleEndian = tiff.subarray(0, 2).toString('latin1') === 'II'
  const readUint16 = (offset: number) => (isLittleEndian ? tiff.readUInt16LE(offset) : tiff.readUInt16BE(offset))
  const readUint32 = (offset: number) => (isLittleEndian ? tiff.readUInt32LE(offset) : tiff.readUInt32BE(offset))
  const copyright: Record<string, string> = {}
  try {
    const directory = readUint32(4)
    for (let index = 0; index < readUint16(directory); index += 1) {
      const entry = directory + 2 + index * 12
      const name = COPYRIGHT_TAGS[readUint16(entry)]
      if (!name || readUint16(entry + 2) !== ASCII_TYPE) continue
      const length = readUint32(entry + 4)
      const from = length <= 4 ? entry + 8 : readUint32(entry + 8)
      copyright[name] = tiff
        .subarray(from, from + length)
        .toString('utf8')
        .replace(/\0+$/, '')
    }
  } catch (error) {
    // The directory points outside its block: keep what was read before.
    if (!(error instanceof RangeError)) throw error
  }
  return copyright
}

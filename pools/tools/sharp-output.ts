import sharp, { type Color, type Sharp } from 'sharp'
import { Problem } from '#kit'
import type { ForeignFormat } from './foreign-images.ts'
import type { ImageSource } from './sharp-source.ts'

export const OUTPUT_FORMATS = ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

/** What every operation that makes a picture lets its caller choose. */
export interface OutputOptions {
  format: OutputFormat | 'keep'
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
  /** Of the file that was brought into a form libvips reads; see foreign-images.ts. */
  via?: ForeignFormat
  encoder?: EncoderOptions
  /** Of an animation that was put together anew, or is to have others than its own. */
  motion?: Motion
  /** One channel of grey instead of three of colour. */
  grey?: boolean
}

/** What only some operations let a caller choose; left out, this file chooses. */
export interface EncoderOptions {
  /** 0 to 9 for every format. */
  effort?: number
  chroma?: '420' | '444'
  progressive?: boolean
  bitDepth?: 1 | 2 | 4 | 8 | 16
  palette?: boolean
  mozjpeg?: boolean
}

export interface Motion {
  delay?: number | number[]
  loop?: number
}

export interface EncodedImage {
  /** One of the two: few bytes come as they are, many as a file of the job. */
  bytes?: Uint8Array
  path?: string
  width: number
  height: number
  format: OutputFormat
  pages: number
  hasAlpha: boolean
  warnings: { code: string; message: string }[]
}

const ANIMATABLE = new Set<OutputFormat>(['gif', 'webp'])
const LONGEST_SIDE: Partial<Record<OutputFormat, number>> = { webp: 16_383, avif: 16_383 }

/** Formats of cameras, which nobody reads everywhere: kept, they become what everybody reads. */
const PHOTOS = new Set<ForeignFormat>(['heic', 'jxl', 'jp2'])

export function targetFormat(source: ImageSource, { format, via }: OutputOptions): OutputFormat {
  if (format !== 'keep') return format
  if (source.format === 'svg') return 'png'
  return via && PHOTOS.has(via) && !source.metadata.hasAlpha ? 'jpeg' : source.format
}

export function staysAnimated(source: ImageSource, options: OutputOptions): boolean {
  const mayMove = options.animation === 'auto' && options.page === undefined && source.frames > 1
  return mayMove && ANIMATABLE.has(targetFormat(source, options))
}

/** The first frame to load, from 0; refuses one that is not there. */
export function pageIndex(source: ImageSource, { page }: OutputOptions): number | undefined {
  if (page === undefined) return undefined
  if (page > source.pages)
    throw new Problem('BAD_RANGE', { field: 'page', segment: String(page), pageCount: source.pages })
  return page - 1
}

export function colorOf(field: string, text: string): Color {
  try {
    sharp({ create: { width: 1, height: 1, channels: 4, background: text } })
    return text
  } catch {
    throw new Problem('INVALID_PARAM', { field, allowed: '#rgb, #rrggbb, #rrggbbaa, a CSS name or transparent' })
  }
}

/** The last steps of every picture: colour, alpha, metadata, encoding. */
export async function encode(image: Sharp, source: ImageSource, options: OutputOptions): Promise<EncodedImage> {
  const format = targetFormat(source, options)
  if (format === 'jpeg') image.flatten({ background: opaque(options.background) })
  keepDepth(image, source, format, options)
  keepMetadata(image, source, options)
  ENCODERS[format](image, options, encoderOf(source, options))
  const { data, info } = await image.toBuffer({ resolveWithObject: true })
  const pages = await framesOf(data, format, info.pages ?? 1)
  const height = info.pageHeight ?? info.height
  const hasAlpha = info.channels === 4 || info.channels === 2
  return { bytes: data, width: info.width, height, format, pages, hasAlpha, warnings: warningsOf(source, options) }
}

/** Refuses a size before anything is computed that the encoder would only refuse at the end. */
export function checkSide(format: OutputFormat, width: number, height: number, most: number): void {
  const limit = LONGEST_SIDE[format] ?? 32_767
  const side = Math.max(width, height)
  if (side > limit) throw new Problem('TOO_MANY_PIXELS', { limit, actual: side, of: `a side of ${format}` })
  if (width * height > most)
    throw new Problem('TOO_MANY_PIXELS', { limit: most, actual: width * height, of: 'the output' })
}

function opaque(background: string): Color {
  return background === 'transparent' ? '#ffffff' : colorOf('background', background)
}

/** Sixteen bits survive only where the format has room for them. */
function keepDepth(image: Sharp, { metadata }: ImageSource, format: OutputFormat, options: OutputOptions): void {
  const { grey = false, encoder: { bitDepth } = {} } = options
  const hasRoom = format === 'png' || format === 'tiff'
  const isDeep = hasRoom && (bitDepth === undefined ? metadata.depth === 'ushort' : bitDepth === 16)
  const isGrey = grey || metadata.space === 'grey16'
  if (isDeep) image.toColourspace(isGrey ? 'grey16' : 'rgb16')
  else if (grey) image.toColourspace('b-w')
}

function keepMetadata(image: Sharp, { metadata }: ImageSource, options: OutputOptions): void {
  if (options.metadata === 'keep') image.keepExif().keepXmp()
  const rights = options.metadata === 'copyright' && metadata.exif ? rightsIn(metadata.exif) : {}
  if (options.metadata !== 'keep' && (options.dpi !== undefined || Object.keys(rights).length > 0))
    image.withExif({ IFD0: rights })
  if (options.dpi !== undefined) image.withDensity(options.dpi)
  // A profile of inks cannot describe the screen colours of the output.
  if (options.icc === 'keep' && metadata.space !== 'cmyk') image.keepIccProfile()
}

/** Single bits have no place for what shines through. */
function encoderOf({ metadata }: ImageSource, { grey, encoder = {} }: OutputOptions): EncoderOptions {
  return grey && metadata.hasAlpha ? { ...encoder, bitDepth: undefined } : encoder
}

type Encoder = (image: Sharp, options: OutputOptions, choices: EncoderOptions) => unknown

const scaled = (effort: number | undefined, most: number) =>
  effort === undefined ? undefined : Math.round((effort / 9) * most)

const ENCODERS: Record<OutputFormat, Encoder> = {
  jpeg: (image, { quality = 80 }, { chroma, progressive, mozjpeg }) =>
    image.jpeg({ quality, progressive, mozjpeg, chromaSubsampling: chroma === '444' ? '4:4:4' : '4:2:0' }),
  png: (image, { quality }, { progressive, palette, bitDepth, effort }) => {
    const isIndexed = palette || (bitDepth !== undefined && bitDepth < 8)
    const indexed = isIndexed ? { palette: true, quality, colours: 2 ** Math.min(8, bitDepth ?? 8) } : {}
    image.png({ progressive, compressionLevel: scaled(effort, 9), ...indexed })
  },
  webp: (image, { quality = 80, lossless, motion }, { effort }) =>
    image.webp({ quality, lossless, effort: scaled(effort, 6), ...within(motion) }),
  // The library's own effort takes twenty seconds for three megapixels of noise; this takes two, and is smaller.
  avif: (image, { quality = 55, lossless }, { effort = 2, chroma }) =>
    image.avif({ quality, lossless, effort, chromaSubsampling: chroma === '420' ? '4:2:0' : '4:4:4' }),
  gif: (image, { motion }, { effort, bitDepth, progressive }) =>
    image.gif({
      progressive,
      effort: effort === undefined ? undefined : 1 + effort,
      colours: 2 ** Math.min(8, bitDepth ?? 8),
      keepDuplicateFrames: true,
      ...within(motion),
    }),
  tiff: (image, { quality }, { bitDepth }) => {
    const compression = quality === undefined || (bitDepth !== undefined && bitDepth !== 8) ? 'deflate' : 'jpeg'
    image.tiff({ compression, quality, bitdepth: bitDepth === 8 || bitDepth === 16 ? undefined : bitDepth })
  },
}

const LONGEST_DELAY = 65_535

/** A GIF may ask for more patience than the encoder takes an order for. */
function within(motion: Motion | undefined): Motion | undefined {
  if (!Array.isArray(motion?.delay)) return motion
  return { ...motion, delay: motion.delay.map(delay => Math.min(LONGEST_DELAY, delay)) }
}

/** The encoder of WebP makes one frame of neighbours that look the same, with the time of both. */
async function framesOf(bytes: Buffer, format: OutputFormat, pages: number): Promise<number> {
  if (format !== 'webp' || pages === 1) return pages
  return (await sharp(bytes).metadata()).pages ?? 1
}

export function warningsOf(source: ImageSource, options: OutputOptions): EncodedImage['warnings'] {
  const isChosen = options.animation === 'first' || options.page !== undefined
  if (isChosen || source.pages === 1 || staysAnimated(source, options)) return []
  if (source.frames > 1)
    return [{ code: 'ANIMATION_FLATTENED', message: `Only the first of ${source.frames} frames is kept.` }]
  return [
    { code: 'PAGES_DROPPED', message: `Only the first of ${source.pages} pages is kept; choose another with page.` },
  ]
}

const RIGHTS_TAGS: Record<number, string> = { 315: 'Artist', 33432: 'Copyright' }
const ASCII = 2

/** Author and rights from the first directory of an EXIF block. */
export function rightsIn(exif: Buffer): Record<string, string> {
  const tiff = exif.subarray(exif.subarray(0, 4).toString('latin1') === 'Exif' ? 6 : 0)
  const isLittle = tiff.subarray(0, 2).toString('latin1') === 'II'
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const long = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  const rights: Record<string, string> = {}
  try {
    const start = long(4)
    for (let index = 0; index < short(start); index += 1) {
      const entry = start + 2 + index * 12
      const name = RIGHTS_TAGS[short(entry)]
      if (!name || short(entry + 2) !== ASCII) continue
      const length = long(entry + 4)
      const from = length <= 4 ? entry + 8 : long(entry + 8)
      rights[name] = tiff
        .subarray(from, from + length)
        .toString('utf8')
        .replace(/\0+$/, '')
    }
  } catch (error) {
    // A directory that points outside its block says nothing more.
    if (!(error instanceof RangeError)) throw error
  }
  return rights
}

import { readFile } from 'node:fs/promises'
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp'
import { Problem } from '#kit'
import { readResolution } from '../../../tasks/formats/image-metadata/resolution.ts'
import { countPngFrames, isAnimatedPng } from '../../../tasks/formats/raster/animated-png.ts'
import { readFileStart } from '../../inspect/file-start.ts'
import { type DeepColor, readDeepColor } from './encode/deep-color.ts'
import { isTruncatedGif } from './encode/gif.ts'
import { readUnitGrey, WHITE } from './encode/unit-grey.ts'

// Several concurrent calls with one thread each use the cores better than one call with several threads.
sharp.concurrency(1)
sharp.cache(false)

const LOADERS = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif', 'Tiff', 'Svg']

/** All loaders are blocked first, so that only those of the supported formats parse untrusted input. */
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: LOADERS.flatMap(name => [`VipsForeignLoad${name}File`, `VipsForeignLoad${name}Buffer`]) })

export const MAX_PIXELS = 100_000_000

export interface ImageSource {
  file: string
  format: 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'tiff' | 'svg'
  /** As displayed, with the orientation tag applied. */
  width: number
  height: number
  /** Frames of an animation; 1 for a document of several pages. */
  frames: number
  /** Of an animated PNG, of which libvips decodes the first only; 1 for all others. */
  unreadFrames: number
  pages: number
  /** Absent if the file records none, even where `metadata.density` has one. */
  dpi?: number
  metadata: Metadata
  /** Checked separately, because the GIF decoder accepts truncated files without an error. */
  isTruncated: boolean
  /** The first page with samples of the usual range, if those of the file are not. */
  unitGrey?: Buffer
  /** A page whose colours would be wrong otherwise. */
  deepColor?: DeepColor
}

interface ReadOptions {
  icc?: 'srgb' | 'keep'
  /** Of a document of several pages, from 1. */
  page?: number
}

export async function readSource(file: string, { icc, page = 1 }: ReadOptions = {}): Promise<ImageSource> {
  const source = await readHeader(file)
  const deepColor = icc === 'keep' ? undefined : await readDeepColor(source, page - 1)
  return { ...source, unitGrey: await readUnitGrey(source), deepColor }
}

/** Whatever stands before the pixels of a PNG, such as a profile, is shorter. */
const HEAD_BYTES = 2 ** 20

/** Images of any size are accepted. */
export async function readHeader(file: string): Promise<ImageSource> {
  const metadata = await sharp(file, { limitInputPixels: false }).metadata()
  const format = metadata.format === 'heif' ? 'avif' : metadata.format
  const { width, height } = metadata.autoOrient
  const pages = metadata.pages ?? 1
  const frames = format === 'gif' || format === 'webp' ? pages : 1
  const isTruncated = format === 'gif' && (await isTruncatedGif(file))
  const head = () => readFileStart(file, HEAD_BYTES)
  const isAnimated = format === 'png' && isAnimatedPng(head())
  const unreadFrames = isAnimated ? countPngFrames(await readFile(file)) : 1
  const dpi = readResolution(metadata, head)
  const facts = { width, height, frames, unreadFrames, pages, dpi, metadata, isTruncated }
  return { file, format: format as ImageSource['format'], ...facts }
}

interface OpenOptions {
  animated?: boolean
  /** From 0. */
  page?: number
  /** Pixels per inch at which a vector image is rendered; 72 is its natural size. */
  density?: number
  tolerant?: boolean
}

export function openImage(source: ImageSource, { animated, page, density, tolerant }: OpenOptions): Sharp {
  const { format, isTruncated } = source
  if (isTruncated && !tolerant) throw new Error('gif: the file is truncated')
  const options: SharpOptions = {
    autoOrient: true,
    failOn: tolerant ? 'none' : 'error',
    limitInputPixels: MAX_PIXELS * (animated ? 2 : 1),
  }
  if (animated) options.pages = -1
  else if (page !== undefined) options.page = page
  if (format === 'svg' && density !== undefined) options.density = density
  return openPixels(source, options)
}

/** Of some pages the pixels are not those of the file. */
function openPixels({ file, unitGrey, deepColor }: ImageSource, options: SharpOptions): Sharp {
  const { page = 0 } = options
  if (deepColor?.page === page) return sharp(deepColor.bytes, { ...options, page: 0 })
  if (unitGrey && page === 0) return sharp(unitGrey, options)
  return unitGrey ? sharp(file, options).linear(WHITE, 0) : sharp(file, options)
}

/** libheif allows no more pixels than the file's header states; the layers of a layered AVIF may have more. */
const MORE_THAN_STATED = /Image size (\d+)x(\d+) exceeds the maximum image size/

/**
 * libvips reports errors as text only. Messages about the input become a Problem; all others are bugs of this code. A step
 * that was stopped at the time limit may report its own failure before that, in another line.
 */
export function toProblem(error: unknown): unknown {
  const { message } = error as Error
  if (/^timeout: /m.test(message)) return new Problem('TIME_LIMIT_EXCEEDED')
  const [, width, height] = MORE_THAN_STATED.exec(message) ?? []
  if (width && Number(width) * Number(height) <= MAX_PIXELS) {
    const detail = `the file decodes to ${width} by ${height} pixels, which is more than it states`
    return new Problem('IMAGE_DECODE_FAILED', { detail })
  }
  if (/exceeds pixel limit/.test(message)) return new Problem('TOO_MANY_PIXELS', { limit: MAX_PIXELS })
  if (/too large|exceeds|Processed image is too large/.test(message))
    return new Problem('TOO_MANY_PIXELS', { detail: message })
  if (error instanceof Problem || error instanceof TypeError || error instanceof RangeError) return error
  if (/^Expected /.test(message)) return error
  return new Problem('IMAGE_DECODE_FAILED', { detail: message.split('\n')[0]!.slice(0, 200) })
}

/** Adds to a Problem what it is about, such as one of several images. */
export async function withHints<Value>(hints: Record<string, unknown>, run: () => Promise<Value>): Promise<Value> {
  try {
    return await run()
  } catch (error) {
    const problem = toProblem(error)
    if (problem instanceof Problem) throw new Problem(problem.code, { ...problem.hints, ...hints })
    throw error
  }
}

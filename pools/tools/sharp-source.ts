import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp'
import { Problem } from '#kit'
import { isCutGif } from './gif-blocks.ts'

// One thread a call: several calls in flight use the cores better than one call with several threads.
sharp.concurrency(1)
sharp.cache(false)

const LOADERS = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif', 'Tiff', 'Svg']

/** Every loader libvips calls untrusted is shut, then those of the formats we serve are opened. */
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: LOADERS.flatMap(name => [`VipsForeignLoad${name}File`, `VipsForeignLoad${name}Buffer`]) })

export const MOST_PIXELS = 100_000_000

export interface ImageSource {
  file: string
  format: 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'tiff' | 'svg'
  /** As displayed: after the orientation tag. */
  width: number
  height: number
  /** Of an animation; 1 for a document of several pages. */
  frames: number
  pages: number
  metadata: Metadata
  /** What its decoder would not say by itself. */
  isCut: boolean
}

/** Reads the header; nothing is decoded, so that any size may be asked about. */
export async function sourceOf(file: string): Promise<ImageSource> {
  const metadata = await sharp(file, { limitInputPixels: false }).metadata()
  const format = metadata.format === 'heif' ? 'avif' : metadata.format
  const { width, height } = metadata.autoOrient
  const pages = metadata.pages ?? 1
  const frames = format === 'gif' || format === 'webp' ? pages : 1
  const isCut = format === 'gif' && (await isCutGif(file))
  return { file, format: format as ImageSource['format'], width, height, frames, pages, metadata, isCut }
}

export interface OpenOptions {
  animated?: boolean
  /** From 0. */
  page?: number
  /** Of a vector picture, in pixels an inch; 72 is its natural size. */
  density?: number
  tolerant?: boolean
}

export function openImage(
  { file, format, isCut }: ImageSource,
  { animated, page, density, tolerant }: OpenOptions,
): Sharp {
  if (isCut && !tolerant) throw new Error('gif: the data end too soon')
  const options: SharpOptions = {
    autoOrient: true,
    failOn: tolerant ? 'none' : 'error',
    limitInputPixels: MOST_PIXELS * (animated ? 2 : 1),
  }
  if (animated) options.pages = -1
  else if (page !== undefined) options.page = page
  if (format === 'svg' && density !== undefined) options.density = density
  return sharp(file, options)
}

/** libvips speaks in sentences; what it says of the input is the caller's, the rest is a bug of ours. */
export function asProblem(error: unknown): unknown {
  const { message } = error as Error
  if (/^timeout/.test(message)) return new Problem('TIME_LIMIT_EXCEEDED')
  if (/exceeds pixel limit/.test(message)) return new Problem('TOO_MANY_PIXELS', { limit: MOST_PIXELS })
  if (/too large|exceeds|Processed image is too large/.test(message))
    return new Problem('TOO_MANY_PIXELS', { detail: message })
  if (error instanceof Problem || error instanceof TypeError || error instanceof RangeError) return error
  if (/^Expected /.test(message)) return error
  return new Problem('IMAGE_DECODE_FAILED', { detail: message.split('\n')[0]!.slice(0, 200) })
}

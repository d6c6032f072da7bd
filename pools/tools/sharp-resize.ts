import type { Sharp, ResizeOptions as SharpResize } from 'sharp'
import {
  checkSide,
  colorOf,
  type EncodedImage,
  encode,
  type OutputOptions,
  pageIndex,
  staysAnimated,
  targetFormat,
} from './sharp-output.ts'
import { type ImageSource, MOST_PIXELS, openImage, sourceOf } from './sharp-source.ts'
import { decoding } from './sharp-tolerance.ts'

export interface ResizeOptions extends OutputOptions {
  /** Pixels, or `50%` of the source. */
  width?: number | string
  height?: number | string
  fit: 'inside' | 'cover' | 'contain' | 'fill' | 'outside'
  position: string | { x: number; y: number }
  enlarge: boolean
  dpr: number
  kernel: 'lanczos3' | 'mitchell' | 'cubic' | 'nearest' | 'linear'
  sharpen: 'auto' | false
  linear: boolean
}

export function resize([file]: string[], options: ResizeOptions, seconds: number): Promise<EncodedImage> {
  return decoding(options, async tolerantOptions => resizeOnce(await sourceOf(file!), tolerantOptions, seconds))
}

interface Box {
  width?: number
  height?: number
}

async function resizeOnce(source: ImageSource, options: ResizeOptions, seconds: number): Promise<EncodedImage> {
  const animated = staysAnimated(source, options)
  const page = pageIndex(source, options)
  const box = boxOf(source, options)
  const size = finalSize(source, box, options)
  checkSide(targetFormat(source, options), size.width, size.height * (animated ? source.frames : 1), MOST_PIXELS)
  const image = openImage(source, {
    animated,
    page,
    density: densityFor(source, box, options),
    tolerant: options.tolerant,
  })
  image.timeout({ seconds: Math.max(1, Math.floor(seconds)) })
  if (options.linear) image.gamma()
  await place(image, source, box, options, animated)
  if (options.sharpen === 'auto' && gainsFromSharpening(source, size, options, animated))
    image.sharpen({ sigma: 0.5, m1: 0.5, m2: 0.5 })
  return encode(image, source, options)
}

/** What is asked for, in pixels of the output. */
function boxOf(source: ImageSource, { width, height, dpr }: ResizeOptions): Box {
  return { width: pixelsOf(width, source.width, dpr), height: pixelsOf(height, source.height, dpr) }
}

function pixelsOf(length: number | string | undefined, natural: number, dpr: number): number | undefined {
  if (length === undefined) return undefined
  const pixels = typeof length === 'number' ? length : (natural * Number.parseFloat(length)) / 100
  return Math.max(1, Math.round(pixels * dpr))
}

/** A vector has no size to lose, so it always fills what is asked for. */
function mayEnlarge(source: ImageSource, { enlarge }: ResizeOptions): boolean {
  return enlarge || source.format === 'svg'
}

/** How far the source is scaled each way so that it lies in, over or on the box. */
function scaleOf(source: ImageSource, { width, height }: Box, { fit }: ResizeOptions): { x: number; y: number } {
  const x = width === undefined ? undefined : width / source.width
  const y = height === undefined ? undefined : height / source.height
  if (x === undefined || y === undefined) return { x: x ?? y!, y: y ?? x! }
  if (fit === 'fill') return { x, y }
  const both = fit === 'inside' || fit === 'contain' ? Math.min(x, y) : Math.max(x, y)
  return { x: both, y: both }
}

function finalSize(source: ImageSource, box: Box, options: ResizeOptions): Required<Box> {
  if (options.fit === 'contain' && box.width !== undefined && box.height !== undefined) return box as Required<Box>
  const { x, y } = scaleOf(source, box, options)
  const most = mayEnlarge(source, options) ? Infinity : 1
  const scaled = (natural: number, scale: number) => Math.max(1, Math.round(natural * Math.min(scale, most)))
  const size = { width: scaled(source.width, x), height: scaled(source.height, y) }
  if (options.fit !== 'cover') return size
  return { width: Math.min(size.width, box.width ?? Infinity), height: Math.min(size.height, box.height ?? Infinity) }
}

/** Vectors are rendered at the size they are wanted in. */
function densityFor(source: ImageSource, box: Box, options: ResizeOptions): number | undefined {
  if (source.format !== 'svg') return undefined
  const { x, y } = scaleOf(source, box, options)
  return Math.min(100_000, Math.max(1, 72 * Math.max(x, y)))
}

const SOFT_KERNELS = new Set<ResizeOptions['kernel']>(['mitchell', 'cubic', 'linear'])

/**
 * lanczos3 is crisp by itself, and sharpening costs half as much as all the rest. It darkens the edges of
 * transparency, bleeds from frame to frame, and a vector needs none.
 */
function gainsFromSharpening(
  source: ImageSource,
  size: Required<Box>,
  { kernel }: ResizeOptions,
  animated: boolean,
): boolean {
  if (!SOFT_KERNELS.has(kernel) || animated || source.format === 'svg' || source.metadata.hasAlpha) return false
  return source.width >= size.width * 2 && source.height >= size.height * 2
}

async function place(
  image: Sharp,
  source: ImageSource,
  box: Box,
  options: ResizeOptions,
  animated: boolean,
): Promise<void> {
  const { position, fit } = options
  const common: SharpResize = { kernel: options.kernel, withoutEnlargement: !mayEnlarge(source, options) }
  const isBoth = box.width !== undefined && box.height !== undefined
  if (isBoth && typeof position === 'object' && (fit === 'cover' || fit === 'contain')) {
    return placeAt(image, source, box as Required<Box>, options, position)
  }
  const isSalient = position === 'attention' || position === 'entropy'
  if (isBoth && isSalient && animated && fit === 'cover') {
    const focus = await focusOf(source, box as Required<Box>, options)
    return placeAt(image, source, box as Required<Box>, options, focus)
  }
  const background = colorOf('background', options.background)
  const strategy = isSalient && fit !== 'cover' ? 'center' : (position as string)
  image.resize({ ...box, ...common, fit, position: strategy, background })
}

/** Around a point given in shares of the picture; the same for every frame. */
function placeAt(
  image: Sharp,
  source: ImageSource,
  box: Required<Box>,
  options: ResizeOptions,
  { x, y }: { x: number; y: number },
): void {
  const scale = scaleOf(source, box, options)
  const most = mayEnlarge(source, options) ? Infinity : 1
  const width = Math.max(1, Math.round(source.width * Math.min(scale.x, most)))
  const height = Math.max(1, Math.round(source.height * Math.min(scale.y, most)))
  image.resize({ width, height, fit: 'fill', kernel: options.kernel })
  if (options.fit === 'cover') {
    const [left, cutWidth] = cut(width, box.width, x)
    const [top, cutHeight] = cut(height, box.height, y)
    image.extract({ left, top, width: cutWidth, height: cutHeight })
    return
  }
  const left = Math.round((box.width - width) * x)
  const top = Math.round((box.height - height) * y)
  const background = colorOf('background', options.background)
  image.extend({ left, top, right: box.width - width - left, bottom: box.height - height - top, background })
}

function cut(length: number, wanted: number, focus: number): [start: number, length: number] {
  const kept = Math.min(length, wanted)
  return [Math.min(length - kept, Math.max(0, Math.round(length * focus - kept / 2))), kept]
}

/** libvips finds the salient part of one frame only: that of the middle frame serves for all. */
async function focusOf(
  source: ImageSource,
  box: Required<Box>,
  options: ResizeOptions,
): Promise<{ x: number; y: number }> {
  const middle = openImage(source, { page: Math.floor(source.frames / 2), tolerant: options.tolerant })
  const position = options.position as string
  const { info } = await middle
    .resize({ ...box, fit: 'cover', position })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const scale = scaleOf(source, box, options)
  const middleOf = (offset: number | undefined, kept: number, length: number) => (kept / 2 - (offset ?? 0)) / length
  return {
    x: middleOf(info.cropOffsetLeft, info.width, source.width * scale.x),
    y: middleOf(info.cropOffsetTop, info.height, source.height * scale.y),
  }
}

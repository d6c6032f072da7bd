import type { Sharp, ResizeOptions as SharpResize } from 'sharp'
import type { Point, Size } from '../../../../tasks/formats/geometry/region.ts'
import {
  checkDimensions,
  chooseFormat,
  encode,
  type ImageResult,
  isOutputAnimated,
  type OutputOptions,
  parseColor,
  resolvePageIndex,
} from '../output.ts'
import { type ImageSource, MAX_PIXELS, openImage, readSource } from '../source.ts'
import { withTolerance } from '../tolerance.ts'
import { widenBackground } from './background.ts'

export interface ResizeOptions extends OutputOptions {
  /** Pixels, or a percentage of the source such as `50%`. */
  width?: number | string
  height?: number | string
  fit: 'inside' | 'cover' | 'contain' | 'fill' | 'outside'
  position: string | Point
  enlarge: boolean
  dpr: number
  kernel: 'lanczos3' | 'mitchell' | 'cubic' | 'nearest' | 'linear'
  sharpen: 'auto' | false
  linear: boolean
}

export function resize([file]: string[], options: ResizeOptions, seconds: number): Promise<ImageResult> {
  return withTolerance(options, async tolerantOptions =>
    resizeOnce(await readSource(file!, options), tolerantOptions, seconds),
  )
}

/** The requested size in pixels of the output. */
type TargetBox = Partial<Size>

async function resizeOnce(source: ImageSource, options: ResizeOptions, seconds: number): Promise<ImageResult> {
  const isAnimated = isOutputAnimated(source, options)
  const page = resolvePageIndex(source, options)
  const box = resolveBox(source, options)
  const size = computeOutputSize(source, box, options)
  checkDimensions(chooseFormat(source, options), size.width, size.height * (isAnimated ? source.frames : 1), MAX_PIXELS)
  const image = openImage(source, {
    animated: isAnimated,
    page,
    density: chooseDensity(source, box, options),
    tolerant: options.tolerant,
  })
  image.timeout({ seconds: Math.max(1, Math.floor(seconds)) })
  if (options.linear) image.gamma()
  await applyResize(image, source, box, options, isAnimated)
  if (options.sharpen === 'auto' && shouldSharpen(source, size, options, isAnimated))
    // Without parameters it works on the pixels as they are, which takes a fifth less of a whole call than in CIELAB.
    image.sharpen()
  const result = await encode(image, source, options)
  return isHeldBack(source, box, options) ? { ...result, warnings: [...result.warnings, NOT_ENLARGED] } : result
}

const NOT_ENLARGED = {
  code: 'NOT_ENLARGED',
  message: 'The image was not enlarged to the size asked for; `enlarge` allows it.',
}

function isHeldBack(source: ImageSource, box: TargetBox, options: ResizeOptions): boolean {
  const { x, y } = computeScale(source, box, options)
  return Math.max(x, y) > 1 && !canEnlarge(source, options)
}

function resolveBox(source: ImageSource, { width, height, dpr }: ResizeOptions): TargetBox {
  return { width: resolveLength(width, source.width, dpr), height: resolveLength(height, source.height, dpr) }
}

function resolveLength(length: number | string | undefined, natural: number, dpr: number): number | undefined {
  if (length === undefined) return undefined
  const pixels = typeof length === 'number' ? length : (natural * Number.parseFloat(length)) / 100
  return Math.max(1, Math.round(pixels * dpr))
}

/** A vector image loses nothing by being enlarged. */
function canEnlarge(source: ImageSource, { enlarge }: ResizeOptions): boolean {
  return enlarge || source.format === 'svg'
}

/** The scale in each direction at which the source fits, covers or fills the box. */
function computeScale(source: ImageSource, { width, height }: TargetBox, { fit }: ResizeOptions): Point {
  const x = width === undefined ? undefined : width / source.width
  const y = height === undefined ? undefined : height / source.height
  if (x === undefined || y === undefined) return { x: x ?? y!, y: y ?? x! }
  if (fit === 'fill') return { x, y }
  const both = fit === 'inside' || fit === 'contain' ? Math.min(x, y) : Math.max(x, y)
  return { x: both, y: both }
}

function computeOutputSize(source: ImageSource, box: TargetBox, options: ResizeOptions): Required<TargetBox> {
  if (options.fit === 'contain' && box.width !== undefined && box.height !== undefined)
    return box as Required<TargetBox>
  const { x, y } = computeScale(source, box, options)
  const maxScale = canEnlarge(source, options) ? Infinity : 1
  const scaled = (natural: number, scale: number) => Math.max(1, Math.round(natural * Math.min(scale, maxScale)))
  const size = { width: scaled(source.width, x), height: scaled(source.height, y) }
  if (options.fit !== 'cover') return size
  return { width: Math.min(size.width, box.width ?? Infinity), height: Math.min(size.height, box.height ?? Infinity) }
}

/** Vector images are rendered at the requested size. */
function chooseDensity(source: ImageSource, box: TargetBox, options: ResizeOptions): number | undefined {
  if (source.format !== 'svg') return undefined
  const { x, y } = computeScale(source, box, options)
  return Math.min(100_000, Math.max(1, 72 * Math.max(x, y)))
}

const SOFT_KERNELS = new Set<ResizeOptions['kernel']>(['mitchell', 'cubic', 'linear'])

/**
 * Sharpening costs half as much as all other steps together. It is skipped for lanczos3, which is crisp by itself, for
 * vector images, and where it does harm: it darkens transparent edges and bleeds from frame to frame.
 */
function shouldSharpen(
  source: ImageSource,
  size: Required<TargetBox>,
  { kernel }: ResizeOptions,
  isAnimated: boolean,
): boolean {
  if (!SOFT_KERNELS.has(kernel) || isAnimated || source.format === 'svg' || source.metadata.hasAlpha) return false
  return source.width >= size.width * 2 && source.height >= size.height * 2
}

async function applyResize(
  image: Sharp,
  source: ImageSource,
  box: TargetBox,
  options: ResizeOptions,
  isAnimated: boolean,
): Promise<void> {
  const { position, fit } = options
  const common: SharpResize = { kernel: options.kernel, withoutEnlargement: !canEnlarge(source, options) }
  const hasBothSides = box.width !== undefined && box.height !== undefined
  if (hasBothSides && typeof position === 'object' && (fit === 'cover' || fit === 'contain')) {
    return resizeAroundPoint(image, source, box as Required<TargetBox>, options, position)
  }
  const isSalient = position === 'attention' || position === 'entropy'
  if (hasBothSides && isSalient && isAnimated && fit === 'cover') {
    const focus = await findFocus(source, box as Required<TargetBox>, options)
    return resizeAroundPoint(image, source, box as Required<TargetBox>, options, focus)
  }
  const background = parseColor('background', options.background)
  const strategy = isSalient && fit !== 'cover' ? 'center' : (position as string)
  image.resize({ ...box, ...common, fit, position: strategy, background })
  widenBackground(image, 'resize', source.metadata.depth === 'ushort')
}

/** Centres the output on a point given in fractions of the image. */
function resizeAroundPoint(
  image: Sharp,
  source: ImageSource,
  box: Required<TargetBox>,
  options: ResizeOptions,
  { x, y }: Point,
): void {
  const scale = computeScale(source, box, options)
  const maxScale = canEnlarge(source, options) ? Infinity : 1
  const width = Math.max(1, Math.round(source.width * Math.min(scale.x, maxScale)))
  const height = Math.max(1, Math.round(source.height * Math.min(scale.y, maxScale)))
  image.resize({ width, height, fit: 'fill', kernel: options.kernel })
  if (options.fit === 'cover') {
    const [left, cutWidth] = cropSpan(width, box.width, x)
    const [top, cutHeight] = cropSpan(height, box.height, y)
    image.extract({ left, top, width: cutWidth, height: cutHeight })
    return
  }
  const left = Math.round((box.width - width) * x)
  const top = Math.round((box.height - height) * y)
  const background = parseColor('background', options.background)
  image.extend({ left, top, right: box.width - width - left, bottom: box.height - height - top, background })
  widenBackground(image, 'extend', source.metadata.depth === 'ushort')
}

function cropSpan(length: number, requested: number, focus: number): [start: number, length: number] {
  const cropLength = Math.min(length, requested)
  return [Math.min(length - cropLength, Math.max(0, Math.round(length * focus - cropLength / 2))), cropLength]
}

/** libvips finds the salient part of a single image, so the middle frame decides for the whole animation. */
async function findFocus(source: ImageSource, box: Required<TargetBox>, options: ResizeOptions): Promise<Point> {
  const middle = openImage(source, { page: Math.floor(source.frames / 2), tolerant: options.tolerant })
  const position = options.position as string
  const { info } = await middle
    .resize({ ...box, fit: 'cover', position })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const scale = computeScale(source, box, options)
  const relativeCenter = (offset: number | undefined, cropLength: number, length: number) =>
    (cropLength / 2 - (offset ?? 0)) / length
  return {
    x: relativeCenter(info.cropOffsetLeft, info.width, source.width * scale.x),
    y: relativeCenter(info.cropOffsetTop, info.height, source.height * scale.y),
  }
}

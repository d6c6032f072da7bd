import sharp, { type Sharp } from 'sharp'
import { Problem } from '#kit'
import type { Size } from '../../../../tasks/formats/geometry/region.ts'
import {
  chooseFormat,
  encode,
  type ImageResult,
  isOutputAnimated,
  type OutputOptions,
  resolvePageIndex,
} from '../output.ts'
import { type ImageSource, openImage, readSource, toProblem } from '../source.ts'
import { withTolerance } from '../tolerance.ts'

/** Describes the image that a painter is given: a still image, or one frame of an animation. */
export interface Canvas extends Size {
  /** From 0. */
  frame: number
  frames: number
  /** Per channel. */
  is16Bit: boolean
  /** Computes the pending steps. Needed before a step that must come after them, since sharp uses a fixed order. */
  materialize(image: Sharp): Promise<Sharp>
}

export type Painter = (image: Sharp, canvas: Canvas) => Sharp | Promise<Sharp>

/** Prepares the work once the size is known, and returns the painter of every frame. */
type PreparePainter = (source: ImageSource, format: ReturnType<typeof chooseFormat>) => Painter | Promise<Painter>

/**
 * Applies a painter to an image. Animations are painted frame by frame, because libvips stores all frames in one tall
 * image: blurs would bleed into the next frame, rotation would reverse the order, overlays would reach one frame only.
 */
export function paint(
  file: string,
  options: OutputOptions,
  seconds: number,
  prepare: PreparePainter,
): Promise<ImageResult> {
  const deadlineMs = performance.now() + seconds * 1000
  return withTolerance(options, async tolerantOptions => {
    const source = await selectPage(await readSource(file, options), tolerantOptions)
    const painter = await prepare(source, chooseFormat(source, options))
    return isOutputAnimated(source, options)
      ? paintFrames(source, tolerantOptions, painter, deadlineMs)
      : paintStill(source, tolerantOptions, painter, deadlineMs)
  })
}

/** Describes the requested page of a TIFF, since pages may differ in size. */
export async function selectPage(source: ImageSource, options: OutputOptions): Promise<ImageSource> {
  const page = resolvePageIndex(source, options)
  if (!page || source.format !== 'tiff') return source
  const { autoOrient, ...metadata } = await sharp(source.file, { limitInputPixels: false, page }).metadata()
  const dpi = metadata.resolutionUnit && metadata.density
  return { ...source, ...autoOrient, dpi, metadata: { ...metadata, autoOrient } }
}

function withTimeout(image: Sharp, deadlineMs: number): Sharp {
  const seconds = (deadlineMs - performance.now()) / 1000
  if (seconds <= 0) throw new Problem('TIME_LIMIT_EXCEEDED')
  return image.timeout({ seconds: Math.max(1, Math.ceil(seconds)) })
}

async function paintStill(
  source: ImageSource,
  options: OutputOptions,
  painter: Painter,
  deadlineMs: number,
): Promise<ImageResult> {
  const image = openImage(source, { page: resolvePageIndex(source, options), tolerant: options.tolerant })
  const materialize = async (painted: Sharp) => bufferAsPng(withTimeout(painted, deadlineMs), source, options)
  const { width, height } = source
  const painted = await painter(image, {
    width,
    height,
    frame: 0,
    frames: 1,
    is16Bit: source.metadata.depth === 'ushort',
    materialize,
  })
  return encode(withTimeout(await materialize(painted), deadlineMs), source, options)
}

/** Uncompressed PNG keeps bit depth, profile and tags, and costs little more than copying the pixels. */
async function bufferAsPng(image: Sharp, { metadata }: ImageSource, options: OutputOptions): Promise<Sharp> {
  image.keepExif().keepXmp()
  if (options.icc === 'keep' && metadata.space !== 'cmyk') image.keepIccProfile()
  if (metadata.depth === 'ushort') image.toColourspace('rgb16')
  const bytes = await image.png({ compressionLevel: 0, adaptiveFiltering: false }).toBuffer()
  return sharp(bytes, { limitInputPixels: false })
}

async function paintFrames(
  source: ImageSource,
  options: OutputOptions,
  painter: Painter,
  deadlineMs: number,
): Promise<ImageResult> {
  const frames = await readFrames(source, options)
  const painted: PixelBuffer[] = []
  for (const [frame, image] of frames.images.entries()) {
    const { width, height } = frames
    const materialize = (part: Sharp) => bufferAsRaw(withTimeout(part, deadlineMs))
    const output = await painter(image, {
      width,
      height,
      frame,
      frames: source.frames,
      is16Bit: false,
      materialize,
    })
    painted.push(await readRgba(withTimeout(output, deadlineMs)))
  }
  const { delay, loop } = source.metadata
  const timing = { delay, loop, ...options.timing }
  return encode(withTimeout(joinFrames(painted), deadlineMs), source, { ...options, timing })
}

/** Puts frames of the same size into one image, as libvips stores an animation. */
export function joinFrames(frames: PixelBuffer[]): Sharp {
  const { width, height } = frames[0]!
  const raw = { width, height: height * frames.length, channels: 4 as const, pageHeight: height }
  return sharp(Buffer.concat(frames.map(({ data }) => data)), { raw, limitInputPixels: false })
}

async function bufferAsRaw(image: Sharp): Promise<Sharp> {
  const { data, info } = await image.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
}

interface Frames extends Size {
  images: Sharp[]
}

/** The frames of an animation, each as an image with an alpha channel. */
export async function readFrames(source: ImageSource, { tolerant }: { tolerant: boolean }): Promise<Frames> {
  const { data, info } = await openImage(source, { animated: true, tolerant })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(error => Promise.reject(toProblem(error)))
  const { width } = info
  const height = info.pageHeight ?? info.height / source.frames
  const sizeBytes = width * height * 4
  const images = Array.from({ length: source.frames }, (_, frame) =>
    openRgba({ data: data.subarray(frame * sizeBytes, (frame + 1) * sizeBytes), width, height }),
  )
  return { images, width, height }
}

/** Eight bits per channel. */
export interface PixelBuffer extends Size {
  data: Buffer
}

export function openRgba({ data, width, height }: PixelBuffer): Sharp {
  return sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: false })
}

export async function readRgba(image: Sharp): Promise<PixelBuffer> {
  const { data, info } = await image
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

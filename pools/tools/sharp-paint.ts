import sharp, { type Sharp } from 'sharp'
import { Problem } from '#kit'
import {
  type EncodedImage,
  encode,
  type OutputOptions,
  pageIndex,
  staysAnimated,
  targetFormat,
} from './sharp-output.ts'
import { asProblem, type ImageSource, openImage, sourceOf } from './sharp-source.ts'
import { decoding } from './sharp-tolerance.ts'

/** What a painter knows of the picture it is given: one still, or one frame of an animation. */
export interface Canvas {
  width: number
  height: number
  /** From 0. */
  frame: number
  frames: number
  /** Sixteen bits a channel. */
  isDeep: boolean
  /** Computes what was asked so far, so that what is asked next comes after it: libvips has an order of its own. */
  settle(image: Sharp): Promise<Sharp>
}

export type Painter = (image: Sharp, canvas: Canvas) => Sharp | Promise<Sharp>

/** Plans the work once the size is known, and gives the painter of every frame. */
export type Plan = (source: ImageSource, format: ReturnType<typeof targetFormat>) => Painter | Promise<Painter>

/**
 * Makes a picture from a picture. Animations are painted frame by frame: on all frames at once, libvips lets blurs
 * bleed from frame to frame, turns the order of frames around, and lays what is put on top on the last frame alone.
 */
export function paint(file: string, options: OutputOptions, seconds: number, plan: Plan): Promise<EncodedImage> {
  const deadlineMs = performance.now() + seconds * 1000
  return decoding(options, async tolerantOptions => {
    const source = await pageOf(await sourceOf(file), tolerantOptions)
    const painter = await plan(source, targetFormat(source, options))
    return staysAnimated(source, options)
      ? paintFrames(source, tolerantOptions, painter, deadlineMs)
      : paintStill(source, tolerantOptions, painter, deadlineMs)
  })
}

/** Pages of a document may differ in size. */
export async function pageOf(source: ImageSource, options: OutputOptions): Promise<ImageSource> {
  const page = pageIndex(source, options)
  if (!page || source.format !== 'tiff') return source
  const { autoOrient, ...metadata } = await sharp(source.file, { limitInputPixels: false, page }).metadata()
  return { ...source, ...autoOrient, metadata: { ...metadata, autoOrient } }
}

function limited(image: Sharp, deadlineMs: number): Sharp {
  const seconds = (deadlineMs - performance.now()) / 1000
  if (seconds <= 0) throw new Problem('TIME_LIMIT_EXCEEDED')
  return image.timeout({ seconds: Math.max(1, Math.ceil(seconds)) })
}

async function paintStill(
  source: ImageSource,
  options: OutputOptions,
  painter: Painter,
  deadlineMs: number,
): Promise<EncodedImage> {
  const image = openImage(source, { page: pageIndex(source, options), tolerant: options.tolerant })
  const settle = async (painted: Sharp) => stored(limited(painted, deadlineMs), source, options)
  const { width, height } = source
  const painted = await painter(image, {
    width,
    height,
    frame: 0,
    frames: 1,
    isDeep: source.metadata.depth === 'ushort',
    settle,
  })
  return encode(limited(await settle(painted), deadlineMs), source, options)
}

/** Held as PNG without compression: it keeps depth, profile and tags, and costs little more than the copying. */
async function stored(image: Sharp, { metadata }: ImageSource, options: OutputOptions): Promise<Sharp> {
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
): Promise<EncodedImage> {
  const frames = await framesOf(source, options)
  const painted: { data: Buffer; width: number; height: number }[] = []
  for (const [frame, image] of frames.images.entries()) {
    const { width, height } = frames
    const settle = (part: Sharp) => heldRaw(limited(part, deadlineMs))
    const made = await painter(image, { width, height, frame, frames: source.frames, isDeep: false, settle })
    painted.push(await rawOf(limited(made, deadlineMs)))
  }
  const { width, height } = painted[0]!
  const data = Buffer.concat(painted.map(part => part.data))
  const raw = { width, height: height * painted.length, channels: 4 as const, pageHeight: height }
  const { delay, loop } = source.metadata
  return encode(limited(sharp(data, { raw, limitInputPixels: false }), deadlineMs), source, {
    ...options,
    motion: { delay, loop, ...options.motion },
  })
}

async function heldRaw(image: Sharp): Promise<Sharp> {
  const { data, info } = await image.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
}

export interface Frames {
  images: Sharp[]
  width: number
  height: number
}

/** The frames of an animation, each a picture of its own with alpha. */
export async function framesOf(source: ImageSource, { tolerant }: { tolerant: boolean }): Promise<Frames> {
  const { data, info } = await openImage(source, { animated: true, tolerant })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(error => Promise.reject(asProblem(error)))
  const { width } = info
  const height = info.pageHeight ?? info.height / source.frames
  const sizeBytes = width * height * 4
  const images = Array.from({ length: source.frames }, (_, frame) =>
    rawImage({ data: data.subarray(frame * sizeBytes, (frame + 1) * sizeBytes), width, height }),
  )
  return { images, width, height }
}

interface RawImage {
  data: Buffer
  width: number
  height: number
}

export function rawImage({ data, width, height }: RawImage): Sharp {
  return sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: false })
}

export async function rawOf(image: Sharp): Promise<RawImage> {
  const { data, info } = await image
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

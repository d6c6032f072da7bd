import type { FileContent } from '#kit'
import type { Region, Size } from '../../../../tasks/formats/geometry/region.ts'
import { openImage, readSource, toProblem } from '../source.ts'

/** Pixels as a model takes them, or a JPEG for a provider. */
export type VisionInputOptions =
  | { kind: 'jpeg'; maxSide: number; maxBytes: number; page?: number }
  | { kind: 'pixels'; maxSide: number }
  | {
      kind: 'pixels'
      width: number
      height: number
      fit: 'stretch' | 'letterbox' | 'crop'
      anchor: 'centre' | 'corner'
      pad: number
    }

export interface VisionInput extends FileContent {
  /** The image as displayed. */
  original: Size
  input: Size
  /** Where the whole image is in the input; beyond its edges if parts were cut off. */
  placement: Region
}

const QUALITIES = [88, 70, 40] as const

/** The first frame, or one page of a document, in display orientation, in sRGB and on white. */
export async function prepareVisionInput(
  [file]: string[],
  options: VisionInputOptions,
  seconds: number,
): Promise<VisionInput> {
  try {
    const source = await readSource(file!)
    const original = { width: source.width, height: source.height }
    const { size, placement, input } = planInput(original, options)
    const image = openImage(source, { page: ('page' in options && options.page) || 0 })
    image.timeout({ seconds: Math.max(1, Math.floor(seconds)) })
    const resized = image
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .resize({ ...size, fit: 'fill' })
    if (options.kind === 'jpeg') {
      // Pixels are decoded once, and encoded until they are small enough.
      const { data, info } = await resized.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
      return { bytes: await encodeJpeg(data, info, options.maxBytes), original, input, placement }
    }
    const { data, info } = await resized.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    const pad = 'pad' in options ? options.pad : 0
    return { bytes: placePixels(data, info, { input, placement, pad }), original, input, placement }
  } catch (error) {
    throw toProblem(error)
  }
}

/** `size` is what the whole image is resized to. */
function planInput(original: Size, options: VisionInputOptions): { size: Size; placement: Region; input: Size } {
  if ('maxSide' in options) {
    const factor = Math.min(1, options.maxSide / Math.max(original.width, original.height))
    const size = scaleSize(original, factor, factor)
    return { size, input: size, placement: { x: 0, y: 0, ...size } }
  }
  const { width, height, fit, anchor } = options
  const [x, y] = [width / original.width, height / original.height]
  const factor = fit === 'letterbox' ? Math.min(x, y) : Math.max(x, y)
  const size = fit === 'stretch' ? { width, height } : scaleSize(original, factor, factor)
  const [spareX, spareY] = [width - size.width, height - size.height]
  const start = anchor === 'centre' ? { x: Math.floor(spareX / 2), y: Math.floor(spareY / 2) } : { x: 0, y: 0 }
  return { size, input: { width, height }, placement: { ...start, ...size } }
}

function scaleSize({ width, height }: Size, x: number, y: number): Size {
  return { width: Math.max(1, Math.round(width * x)), height: Math.max(1, Math.round(height * y)) }
}

async function encodeJpeg(data: Buffer, { width, height, channels }: RawInfo, maxBytes: number): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp')
  const raw = { width, height, channels }
  let bytes: Uint8Array = data
  for (const quality of QUALITIES) {
    bytes = await sharp(data, { raw }).toColourspace('srgb').jpeg({ quality }).toBuffer()
    if (bytes.length <= maxBytes) break
  }
  return bytes
}

interface RawInfo extends Size {
  channels: 1 | 2 | 3 | 4
}

/** Copies the part of the image that is inside the input. Grey images become three equal channels. */
function placePixels(
  data: Buffer,
  { width, height, channels }: RawInfo,
  { input, placement, pad }: { input: Size; placement: Region; pad: number },
): Uint8Array {
  const isWhole = input.width === width && input.height === height
  if (isWhole && channels === 3) return data
  const output = new Uint8Array(input.width * input.height * 3).fill(pad)
  const green = channels >= 3 ? 1 : 0
  const blue = channels >= 3 ? 2 : 0
  for (let y = Math.max(0, placement.y); y < Math.min(input.height, placement.y + height); y++) {
    for (let x = Math.max(0, placement.x); x < Math.min(input.width, placement.x + width); x++) {
      const from = ((y - placement.y) * width + x - placement.x) * channels
      const to = (y * input.width + x) * 3
      output[to] = data[from]!
      output[to + 1] = data[from + green]!
      output[to + 2] = data[from + blue]!
    }
  }
  return output
}

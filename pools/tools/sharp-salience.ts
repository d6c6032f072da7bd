import sharp from 'sharp'
import type { OutputOptions } from './sharp-output.ts'
import { type ImageSource, openImage } from './sharp-source.ts'

const LONGEST_SIDE = 256

interface Size {
  width: number
  height: number
}

export interface Corner {
  x: number
  y: number
}

type Strategy = 'attention' | 'entropy'

/** The frame in the middle speaks for all of an animation. */
function still(source: ImageSource, { page, tolerant }: OutputOptions) {
  return openImage(source, { page: page === undefined ? Math.floor(source.frames / 2) : page - 1, tolerant })
}

/** Where a window of this size shows most of what matters. */
export function salientCorner(
  source: ImageSource,
  window: Size,
  strategy: Strategy,
  options: OutputOptions,
): Promise<Corner> {
  return strategy === 'attention' ? byAttention(source, window, options) : byDetail(source, window, options)
}

/** libvips tells the point that draws the eye whenever it has something to cut off: here half of a small copy. */
async function byAttention(source: ImageSource, window: Size, options: OutputOptions): Promise<Corner> {
  const { data, info } = await still(source, options)
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const half = width > height ? { width: Math.ceil(width / 2), height } : { width, height: Math.ceil(height / 2) }
  const { info: seen } = await sharp(data, { raw: { width, height, channels } })
    .resize({ ...half, fit: 'cover', position: 'attention' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const scale = source.width / width
  const [x, y] = [(seen.attentionX ?? width / 2) * scale, (seen.attentionY ?? height / 2) * scale]
  return {
    x: within(x - window.width / 2, source.width, window.width),
    y: within(y - window.height / 2, source.height, window.height),
  }
}

function within(start: number, length: number, kept: number): number {
  return Math.round(Math.min(length - kept, Math.max(0, start)))
}

/** The window with the most differences between neighbours, found on a small grey copy. */
async function byDetail(source: ImageSource, window: Size, options: OutputOptions): Promise<Corner> {
  const { data, info } = await still(source, options)
    .flatten({ background: '#ffffff' })
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('b-w')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const scale = info.width / source.width
  const sums = detailSums(data, info)
  const small = {
    width: Math.min(info.width, Math.max(1, Math.round(window.width * scale))),
    height: Math.min(info.height, Math.max(1, Math.round(window.height * scale))),
  }
  const best = busiest(sums, info, small)
  return {
    x: within(best.x / scale, source.width, window.width),
    y: within(best.y / scale, source.height, window.height),
  }
}

/** Sums of detail over all that lies above and left of each place. */
function detailSums(grey: Buffer, { width, height }: Size): Float64Array {
  const sums = new Float64Array((width + 1) * (height + 1))
  for (let y = 0; y < height; y++) {
    let row = 0
    for (let x = 0; x < width; x++) {
      const here = grey[y * width + x]!
      const right = x + 1 < width ? Math.abs(here - grey[y * width + x + 1]!) : 0
      const below = y + 1 < height ? Math.abs(here - grey[(y + 1) * width + x]!) : 0
      row += right + below
      sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1]! + row
    }
  }
  return sums
}

function busiest(sums: Float64Array, { width, height }: Size, window: Size): Corner {
  const at = (x: number, y: number) => sums[y * (width + 1) + x]!
  let best = { x: (width - window.width) >> 1, y: (height - window.height) >> 1, detail: -1 }
  for (let y = 0; y + window.height <= height; y++) {
    for (let x = 0; x + window.width <= width; x++) {
      const [right, bottom] = [x + window.width, y + window.height]
      const detail = at(right, bottom) - at(x, bottom) - at(right, y) + at(x, y)
      if (detail > best.detail) best = { x, y, detail }
    }
  }
  return best
}

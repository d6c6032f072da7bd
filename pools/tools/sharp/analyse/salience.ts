import sharp from 'sharp'
import type { Point, Size } from '../../../../tasks/formats/geometry/region.ts'
import type { OutputOptions } from '../output.ts'
import { type ImageSource, openImage } from '../source.ts'

const SAMPLE_SIDE = 256

type Strategy = 'attention' | 'entropy'

/** The requested page, or the middle frame, which decides for a whole animation. */
function openSampleFrame(source: ImageSource, { page, tolerant }: OutputOptions) {
  return openImage(source, { page: page === undefined ? Math.floor(source.frames / 2) : page - 1, tolerant })
}

/** The top left corner at which a window of this size shows the most important part of the image. */
export function findSalientWindow(
  source: ImageSource,
  window: Size,
  strategy: Strategy,
  options: OutputOptions,
): Promise<Point> {
  return strategy === 'attention' ? findByAttention(source, window, options) : findByDetail(source, window, options)
}

/** libvips reports the point of attention only when it crops, so half of a small copy is cropped. */
async function findByAttention(source: ImageSource, window: Size, options: OutputOptions): Promise<Point> {
  const { data, info } = await openSampleFrame(source, options)
    .resize(SAMPLE_SIDE, SAMPLE_SIDE, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const half = width > height ? { width: Math.ceil(width / 2), height } : { width, height: Math.ceil(height / 2) }
  const { info: cropped } = await sharp(data, { raw: { width, height, channels } })
    .resize({ ...half, fit: 'cover', position: 'attention' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const scale = source.width / width
  const [x, y] = [(cropped.attentionX ?? width / 2) * scale, (cropped.attentionY ?? height / 2) * scale]
  return {
    x: clampStart(x - window.width / 2, source.width, window.width),
    y: clampStart(y - window.height / 2, source.height, window.height),
  }
}

function clampStart(start: number, length: number, windowLength: number): number {
  return Math.round(Math.min(length - windowLength, Math.max(0, start)))
}

/** Finds the window with the largest differences between neighbouring pixels, on a small grey copy. */
async function findByDetail(source: ImageSource, window: Size, options: OutputOptions): Promise<Point> {
  const { data, info } = await openSampleFrame(source, options)
    .flatten({ background: '#ffffff' })
    .resize(SAMPLE_SIDE, SAMPLE_SIDE, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('b-w')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const scale = info.width / source.width
  const sums = sumDetail(data, info)
  const small = {
    width: Math.min(info.width, Math.max(1, Math.round(window.width * scale))),
    height: Math.min(info.height, Math.max(1, Math.round(window.height * scale))),
  }
  const best = findBusiestWindow(sums, info, small)
  return {
    x: clampStart(best.x / scale, source.width, window.width),
    y: clampStart(best.y / scale, source.height, window.height),
  }
}

/** A summed-area table: for each pixel, the detail of the rectangle above and to the left of it. */
function sumDetail(grey: Buffer, { width, height }: Size): Float64Array {
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

function findBusiestWindow(sums: Float64Array, { width, height }: Size, window: Size): Point {
  const sumAt = (x: number, y: number) => sums[y * (width + 1) + x]!
  let best = { x: (width - window.width) >> 1, y: (height - window.height) >> 1, detail: -1 }
  for (let y = 0; y + window.height <= height; y++) {
    for (let x = 0; x + window.width <= width; x++) {
      const [right, bottom] = [x + window.width, y + window.height]
      const detail = sumAt(right, bottom) - sumAt(x, bottom) - sumAt(right, y) + sumAt(x, y)
      if (detail > best.detail) best = { x, y, detail }
    }
  }
  return best
}

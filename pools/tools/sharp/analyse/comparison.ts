import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import sharp from 'sharp'
import { type FileContent, Problem, type Warning } from '#kit'
import type { Size } from '../../../../tasks/formats/geometry/region.ts'
import {
  type ComparisonOptions,
  drawMarks,
  PixelComparison,
  type PixelDifference,
} from '../../../../tasks/formats/raster/pixel-comparison.ts'
import { type PixelBuffer, readRgba } from '../edit/draw.ts'
import { type ImageSource, openImage, readSource, withHints } from '../source.ts'
import { withTolerance } from '../tolerance.ts'
import { computeDifferenceHash } from './difference-hash.ts'
import { computeSimilarity } from './similarity.ts'

export interface CompareOptions extends ComparisonOptions {
  sizes: 'resize' | 'canvas' | 'refuse'
  /** Also draws an image that marks what differs. */
  mark: boolean
  tolerant: boolean
}

/** Its content is the marked image. */
export interface ImageComparison extends Omit<PixelDifference, 'isEqual'>, FileContent {
  identical: boolean
  a: Size
  b: Size
  /** The size in which both were compared. */
  compared: Size
  ssim: number
  /** Bits of the perceptual hashes that differ. */
  hashDistance: number
  warnings: Warning[]
}

const MAX_PIXELS = 50_000_000
/** The process serves other calls between two steps. */
const STEP_PIXELS = 500_000

type Side = 'a' | 'b'

/** Compares the first frames of two images, as they are displayed. */
export function compareImages(files: string[], options: CompareOptions, seconds: number): Promise<ImageComparison> {
  const deadlineMs = performance.now() + seconds * 1000
  return withTolerance(options, async tolerantOptions => {
    const a = await onSide('a', () => readSource(files[0]!))
    const b = await onSide('b', () => readSource(files[1]!))
    const size = chooseSize(a, b, options)
    const hashes = [await hash(a, 'a', tolerantOptions), await hash(b, 'b', tolerantOptions)] as const
    const pixels = [
      await onSide('a', () => readPixels(a, size, tolerantOptions)),
      await onSide('b', () => readPixels(b, size, tolerantOptions)),
    ] as const
    const comparison = new PixelComparison(...pixels, options)
    await compareInSteps(comparison, size, deadlineMs)
    const { isEqual, ...difference } = comparison.finish()
    const greys = comparison.greys.map(grey => ({ ...size, data: Buffer.from(grey.buffer) }))
    return {
      ...difference,
      identical: isEqual && isSameSize(a, b) && (await areDeepEqual(a, b, tolerantOptions)),
      ...{ a: sizeOf(a), b: sizeOf(b), compared: size },
      ssim: computeSimilarity(greys[0]!, greys[1]!),
      hashDistance: countBits(BigInt(`0x${hashes[0]}`) ^ BigInt(`0x${hashes[1]}`)),
      ...(options.mark && { bytes: await drawMarked(greys[0]!, comparison.mask, deadlineMs) }),
      warnings: [...warnAboutSizes(a, b, options), ...warnAboutFrames(a, 'a'), ...warnAboutFrames(b, 'b')],
    }
  })
}

function hash(source: ImageSource, side: Side, { tolerant }: CompareOptions): Promise<string> {
  return onSide(side, () => computeDifferenceHash(source, tolerant))
}

/** A Problem says in which of the images it was found. */
function onSide<Value>(field: Side, run: () => Promise<Value>): Promise<Value> {
  return withHints({ field }, run)
}

function chooseSize(a: ImageSource, b: ImageSource, { sizes }: CompareOptions): Size {
  if (sizes === 'refuse' && !isSameSize(a, b)) throw new Problem('SIZES_DIFFER', { a: sizeOf(a), b: sizeOf(b) })
  const canvas = { width: Math.max(a.width, b.width), height: Math.max(a.height, b.height) }
  const size = sizes === 'canvas' ? canvas : sizeOf(a)
  const actual = size.width * size.height
  if (actual > MAX_PIXELS) throw new Problem('TOO_MANY_PIXELS', { limit: MAX_PIXELS, actual, of: 'a comparison' })
  return size
}

/** On a canvas that is larger than the image, the rest is transparent. */
async function readPixels(source: ImageSource, size: Size, { sizes, tolerant }: CompareOptions): Promise<PixelBuffer> {
  const image = openImage(source, { tolerant })
  if (isSameSize(source, size)) return readRgba(image)
  if (sizes !== 'canvas') return readRgba(image.resize({ ...size, fit: 'fill' }))
  const { data, width, height } = await readRgba(image)
  const canvas = Buffer.alloc(size.width * size.height * 4)
  for (let row = 0; row < height; row++) data.copy(canvas, row * size.width * 4, row * width * 4, (row + 1) * width * 4)
  return { data: canvas, ...size }
}

async function compareInSteps(comparison: PixelComparison, { width, height }: Size, deadlineMs: number): Promise<void> {
  const rows = Math.max(1, Math.floor(STEP_PIXELS / width))
  for (let first = 0; first < height; first += rows) {
    if (performance.now() > deadlineMs) throw new Problem('TIME_LIMIT_EXCEEDED')
    comparison.compareRows(first, Math.min(height, first + rows))
    await nextTurn()
  }
}

/** Images of more than eight bits a channel may differ although their eight highest bits do not. */
async function areDeepEqual(a: ImageSource, b: ImageSource, options: CompareOptions): Promise<boolean> {
  if (a.metadata.depth === 'uchar' && b.metadata.depth === 'uchar') return true
  return (await digestDeepPixels(a, options)).equals(await digestDeepPixels(b, options))
}

async function digestDeepPixels(source: ImageSource, { tolerant }: CompareOptions): Promise<Buffer> {
  const image = openImage(source, { tolerant }).toColourspace('rgb16').ensureAlpha()
  const data = await image.raw({ depth: 'ushort' }).toBuffer()
  for (let at = 0; at < data.length; at += 8) if (data.readUInt16LE(at + 6) === 0) data.fill(0, at, at + 6)
  return createHash('sha256').update(data).digest()
}

async function drawMarked(grey: PixelBuffer, mask: Uint8Array, deadlineMs: number): Promise<Uint8Array> {
  const { width, height, data } = grey
  const raw = { width, height, channels: 3 as const }
  const seconds = Math.max(1, Math.ceil((deadlineMs - performance.now()) / 1000))
  const image = sharp(drawMarks(data, mask), { raw, limitInputPixels: false }).timeout({ seconds })
  return image.png({ compressionLevel: 6 }).toBuffer()
}

function isSameSize(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height
}

function sizeOf({ width, height }: Size): Size {
  return { width, height }
}

function countBits(bits: bigint): number {
  return bits.toString(2).replaceAll('0', '').length
}

function warnAboutSizes(a: ImageSource, b: ImageSource, { sizes }: CompareOptions): Warning[] {
  if (isSameSize(a, b)) return []
  const [sizeA, sizeB] = [a, b].map(({ width, height }) => `${width} by ${height}`)
  const how =
    sizes === 'canvas' ? 'both were placed at the top left of one canvas' : '`b` was scaled to the size of `a`'
  return [{ code: 'SIZES_DIFFER', message: `\`a\` has ${sizeA} pixels and \`b\` ${sizeB}; ${how}.` }]
}

function warnAboutFrames({ frames, unreadFrames, pages }: ImageSource, side: Side): Warning[] {
  const count = Math.max(frames, unreadFrames)
  const message = (number: number, what: string) => `Only the first of ${number} ${what} of \`${side}\` was compared.`
  if (count > 1) return [{ code: 'ANIMATION_FLATTENED', message: message(count, 'frames') }]
  return pages > 1 ? [{ code: 'PAGES_DROPPED', message: message(pages, 'pages') }] : []
}

import sharp, { type Sharp } from 'sharp'
import { Problem } from '#kit'
import type { Insets, Size } from '../../../../tasks/formats/geometry/region.ts'
import {
  checkDimensions,
  type ImageResult,
  isOutputAnimated,
  type OutputOptions,
  parseColor,
  parseRgba,
} from '../output.ts'
import { type ImageSource, MAX_PIXELS, openImage } from '../source.ts'
import { widenBackground } from './background.ts'
import { alignByGravity } from './crop.ts'
import { type PixelBuffer, paint, readFrames, readRgba } from './draw.ts'
import { extractRegion } from './geometry.ts'

export interface ExtendOptions extends OutputOptions {
  borders?: Insets
  to?: Size
  aspect?: string
  gravity: string
  fill: 'color' | 'copy' | 'mirror' | 'repeat' | 'blur'
}

const EXTEND_MODES = {
  color: 'background',
  copy: 'copy',
  mirror: 'mirror',
  repeat: 'repeat',
  blur: 'background',
} as const

export function extend([file]: string[], options: ExtendOptions, seconds: number): Promise<ImageResult> {
  return paint(file!, options, seconds, (source, format) => {
    const borders = resolveBorders(source, options)
    const width = source.width + borders.left + borders.right
    const height = source.height + borders.top + borders.bottom
    checkDimensions(format, width, height * (isOutputAnimated(source, options) ? source.frames : 1), MAX_PIXELS * 2)
    checkDimensions(format, width, height, MAX_PIXELS)
    const background = parseColor('background', options.background)
    return async (image, { materialize }) => {
      const rendered = await materialize(image)
      if (options.fill === 'blur')
        return (await materialize(await placeOnBlur(rendered, borders, { width, height }))).removeAlpha()
      const extended = rendered.extend({ ...borders, extendWith: EXTEND_MODES[options.fill], background })
      return widenBackground(extended, 'extend', source.metadata.depth === 'ushort')
    }
  })
}

function resolveBorders(source: ImageSource, { borders, to, aspect, gravity }: ExtendOptions): Insets {
  if (borders) return borders
  const size = to ?? growToAspect(source, aspect!)
  const free = { x: size.width - source.width, y: size.height - source.height }
  if (free.x < 0 || free.y < 0)
    throw new Problem('INVALID_PARAM', { field: 'to', min: { width: source.width, height: source.height } })
  const { x, y } = alignByGravity(gravity, free)
  return { left: x, right: free.x - x, top: y, bottom: free.y - y }
}

/** The smallest size of this aspect that contains the image. */
function growToAspect(source: ImageSource, aspect: string): Size {
  const [ratioWidth = 1, ratioHeight = 1] = aspect.split(':').map(Number)
  const scale = Math.max(source.width / ratioWidth, source.height / ratioHeight)
  return {
    width: Math.max(source.width, Math.round(ratioWidth * scale)),
    height: Math.max(source.height, Math.round(ratioHeight * scale)),
  }
}

/** Places the image on a blurred copy of itself that fills the canvas. */
async function placeOnBlur(image: Sharp, borders: Insets, size: Size): Promise<Sharp> {
  const input = await image.png({ compressionLevel: 0 }).toBuffer()
  const sigma = Math.min(100, Math.max(1, Math.max(size.width, size.height) / 40))
  const backdrop = await sharp(input, { limitInputPixels: false })
    .flatten({ background: '#ffffff' })
    .resize({ ...size, fit: 'cover' })
    .blur(sigma)
    .png({ compressionLevel: 0 })
    .toBuffer()
  return sharp(backdrop, { limitInputPixels: false }).composite([{ input, left: borders.left, top: borders.top }])
}

export interface TrimOptions extends OutputOptions {
  threshold: number
  color: string
  padding: number
  sides: ('top' | 'right' | 'bottom' | 'left')[]
  symmetric: boolean
}

export interface TrimmedImage extends ImageResult {
  trimmed: Insets
}

export async function trim([file]: string[], options: TrimOptions, seconds: number): Promise<TrimmedImage> {
  let trimmed: Insets = { top: 0, right: 0, bottom: 0, left: 0 }
  const encoded = await paint(file!, options, seconds, async source => {
    trimmed = selectBorders(await findEmptyBorders(source, options), options)
    const width = source.width - trimmed.left - trimmed.right
    const height = source.height - trimmed.top - trimmed.bottom
    return extractRegion({ x: trimmed.left, y: trimmed.top, width, height })
  })
  const isUntrimmed = Object.values(trimmed).every(side => side === 0)
  const warning = { code: 'NOTHING_TO_TRIM', message: 'The image has no border of one colour, or is all one colour.' }
  return { ...encoded, trimmed, warnings: isUntrimmed ? [...encoded.warnings, warning] : encoded.warnings }
}

function selectBorders(found: Insets, { sides, symmetric, padding }: TrimOptions): Insets {
  const trimSide = (side: keyof Insets) => (sides.includes(side) ? Math.max(0, found[side] - padding) : 0)
  const borders = { top: trimSide('top'), right: trimSide('right'), bottom: trimSide('bottom'), left: trimSide('left') }
  if (!symmetric) return borders
  const [vertical, horizontal] = [Math.min(borders.top, borders.bottom), Math.min(borders.left, borders.right)]
  return { top: vertical, bottom: vertical, left: horizontal, right: horizontal }
}

/** The borders that are empty in every frame; all zero for an image that is entirely empty. */
async function findEmptyBorders(source: ImageSource, options: TrimOptions): Promise<Insets> {
  const page = options.page === undefined ? undefined : options.page - 1
  const images = isOutputAnimated(source, options)
    ? (await readFrames(source, options)).images
    : [openImage(source, { page, tolerant: options.tolerant })]
  const color = options.color === 'auto' ? undefined : await parseRgba('color', options.color)
  const found: Insets[] = []
  for (const image of images) {
    const borders = measureEmptyBorders(await readRgba(image), options.threshold, color)
    if (borders) found.push(borders)
  }
  if (found.length === 0) return { top: 0, right: 0, bottom: 0, left: 0 }
  const smallest = (side: keyof Insets) => Math.min(...found.map(borders => borders[side]))
  return { top: smallest('top'), right: smallest('right'), bottom: smallest('bottom'), left: smallest('left') }
}

/** Counts the lines from each side that have the border colour throughout; undefined if all lines do. */
function measureEmptyBorders(
  { data, width, height }: PixelBuffer,
  threshold: number,
  color = data.subarray(0, 4),
): Insets | undefined {
  const isTransparent = color[3]! <= threshold
  const differs = (x: number, y: number) => {
    const offset = (y * width + x) * 4
    const alpha = data[offset + 3]!
    if (isTransparent) return alpha > threshold
    if (Math.abs(alpha - color[3]!) > threshold) return true
    return [0, 1, 2].some(channel => Math.abs(data[offset + channel]! - color[channel]!) > threshold)
  }
  const rowDiffers = (y: number) => hasAny(width, x => differs(x, y))
  const top = findFirst(height, rowDiffers)
  if (top === height) return undefined
  const bottom = findFirst(height, step => rowDiffers(height - 1 - step))
  const columnDiffers = (x: number) => hasAny(height - top - bottom, y => differs(x, top + y))
  const left = findFirst(width, columnDiffers)
  const right = findFirst(width, step => columnDiffers(width - 1 - step))
  return { top, right, bottom, left }
}

function findFirst(count: number, test: (step: number) => boolean): number {
  for (let step = 0; step < count; step++) if (test(step)) return step
  return count
}

function hasAny(count: number, test: (step: number) => boolean): boolean {
  return findFirst(count, test) < count
}

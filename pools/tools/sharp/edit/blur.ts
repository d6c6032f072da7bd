import sharp, { type Sharp } from 'sharp'
import type { Region, Size } from '../../../../tasks/formats/geometry/region.ts'
import type { ImageResult, OutputOptions } from '../output.ts'
import { type Canvas, paint } from './draw.ts'
import { type RelativeRegion, resolveRegion } from './geometry.ts'

export interface BlurOptions extends OutputOptions {
  sigma: number
  mode: 'gaussian' | 'pixelate'
  blockSize: number
  regions?: (RelativeRegion & { shape: 'rect' | 'ellipse' })[]
  /** How soft the edge of a region is, in pixels. */
  feather: number
}

export async function blur([file]: string[], options: BlurOptions, seconds: number): Promise<ImageResult> {
  const encoded = await paint(file!, options, seconds, async source => {
    const regions = options.regions?.map(region => ({ ...resolveRegion(region, source, false), shape: region.shape }))
    const mask = regions && (await drawMask(regions, source, options.feather))
    return async (image, canvas) => {
      const original = await canvas.materialize(image)
      const blurred = await applyBlur(mask ? original.clone() : original, canvas, options)
      return mask ? blendMasked(original, await canvas.materialize(blurred), mask) : blurred
    }
  })
  return { ...encoded, warnings: [...encoded.warnings, ...warnIfReversible(options)] }
}

const SAFE_SIGMA = 6
const SAFE_BLOCK = 8

/** A caller who blurs a region may want to hide its content. */
function warnIfReversible({ regions, mode, sigma, blockSize }: BlurOptions): ImageResult['warnings'] {
  const isWeak = mode === 'gaussian' ? sigma < SAFE_SIGMA : blockSize < SAFE_BLOCK
  if (!regions || !isWeak) return []
  return [
    { code: 'BLUR_REVERSIBLE', message: 'A blur this weak can be reversed; increase it to hide sensitive content.' },
  ]
}

async function applyBlur(image: Sharp, canvas: Canvas, { mode, sigma, blockSize }: BlurOptions): Promise<Sharp> {
  if (mode === 'gaussian') return image.blur(sigma)
  const { width, height } = canvas
  const [columns, rows] = [Math.ceil(width / blockSize), Math.ceil(height / blockSize)]
  const right = columns * blockSize - width
  const bottom = rows * blockSize - height
  const padded = await canvas.materialize(image.extend({ right, bottom, extendWith: 'copy' }))
  const small = await canvas.materialize(padded.resize({ width: columns, height: rows, fit: 'fill', kernel: 'cubic' }))
  const pixelated = small.resize({
    width: columns * blockSize,
    height: rows * blockSize,
    fit: 'fill',
    kernel: 'nearest',
  })
  return (await canvas.materialize(pixelated)).extract({ left: 0, top: 0, width, height })
}

interface ShapedRegion extends Region {
  shape: 'rect' | 'ellipse'
}

/** Draws a mask that is opaque where the blurred copy shows. */
function drawMask(regions: ShapedRegion[], { width, height }: Size, feather: number): Promise<Buffer> {
  const shapes = regions.map(({ x, y, width: regionWidth, height: regionHeight, shape }) =>
    shape === 'rect'
      ? `<rect x="${x}" y="${y}" width="${regionWidth}" height="${regionHeight}"/>`
      : `<ellipse cx="${x + regionWidth / 2}" cy="${y + regionHeight / 2}" rx="${regionWidth / 2}" ry="${regionHeight / 2}"/>`,
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes.join('')}</svg>`
  const image = sharp(Buffer.from(svg), { limitInputPixels: false }).ensureAlpha()
  if (feather > 0) image.blur(Math.max(0.3, feather / 2))
  return image.png({ compressionLevel: 0 }).toBuffer()
}

async function blendMasked(original: Sharp, blurred: Sharp, mask: Buffer): Promise<Sharp> {
  const { hasAlpha } = await original.metadata()
  const masked = await blurred
    .ensureAlpha()
    .composite([{ input: mask, blend: 'dest-in', limitInputPixels: false }])
    .png({ compressionLevel: 0 })
    .toBuffer()
  const base = await original.png({ compressionLevel: 0 }).toBuffer()
  // What is partly transparent would show the original through its blurred copy.
  const layers = hasAlpha
    ? [
        { input: mask, blend: 'dest-out' as const },
        { input: masked, blend: 'add' as const },
      ]
    : [{ input: masked }]
  const blended = await sharp(base, { limitInputPixels: false })
    .composite(layers.map(layer => ({ ...layer, limitInputPixels: false })))
    .png({ compressionLevel: 0 })
    .toBuffer()
  const result = sharp(blended, { limitInputPixels: false })
  return hasAlpha ? result : result.removeAlpha()
}

export interface SharpenOptions extends OutputOptions {
  amount: 'auto' | number
  flat: number
  jagged: number
  denoise: number
}

export function sharpen([file]: string[], options: SharpenOptions, seconds: number): Promise<ImageResult> {
  const sigma = options.amount === 'auto' ? 1 : options.amount
  return paint(file!, options, seconds, () => async (image, { materialize }) => {
    const original = await materialize(image)
    if (options.denoise > 0) original.median(options.denoise * 2 + 1)
    const denoised = await materialize(original)
    return denoised.sharpen({ sigma, m1: options.flat, m2: options.jagged })
  })
}

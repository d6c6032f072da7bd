import sharp, { type Sharp } from 'sharp'
import { type Length, type Region, regionOf } from './sharp-geometry.ts'
import type { EncodedImage, OutputOptions } from './sharp-output.ts'
import { type Canvas, paint } from './sharp-paint.ts'

export interface BlurOptions extends OutputOptions {
  sigma: number
  mode: 'gaussian' | 'pixelate'
  blockSize: number
  regions?: { x: Length; y: Length; width: Length; height: Length; shape: 'rect' | 'ellipse' }[]
  /** How soft the edge of a region is, in pixels. */
  feather: number
}

export async function blur([file]: string[], options: BlurOptions, seconds: number): Promise<EncodedImage> {
  const made = await paint(file!, options, seconds, async source => {
    const regions = options.regions?.map(region => ({ ...regionOf(region, source, false), shape: region.shape }))
    const mask = regions && (await maskOf(regions, source, options.feather))
    return async (image, canvas) => {
      const whole = await canvas.settle(image)
      const soft = await softened(mask ? whole.clone() : whole, canvas, options)
      return mask ? laidOver(whole, await canvas.settle(soft), mask) : soft
    }
  })
  return { ...made, warnings: [...made.warnings, ...reversible(options)] }
}

const SAFE_SIGMA = 6
const SAFE_BLOCK = 8

/** Somebody who blurs a part may want to hide it. */
function reversible({ regions, mode, sigma, blockSize }: BlurOptions): EncodedImage['warnings'] {
  const isWeak = mode === 'gaussian' ? sigma < SAFE_SIGMA : blockSize < SAFE_BLOCK
  if (!regions || !isWeak) return []
  return [{ code: 'BLUR_REVERSIBLE', message: 'So weak a blur can be undone; do not hide secrets with it.' }]
}

async function softened(image: Sharp, canvas: Canvas, { mode, sigma, blockSize }: BlurOptions): Promise<Sharp> {
  if (mode === 'gaussian') return image.blur(sigma)
  const { width, height } = canvas
  const [across, down] = [Math.ceil(width / blockSize), Math.ceil(height / blockSize)]
  const right = across * blockSize - width
  const bottom = down * blockSize - height
  const padded = await canvas.settle(image.extend({ right, bottom, extendWith: 'copy' }))
  const small = await canvas.settle(padded.resize({ width: across, height: down, fit: 'fill', kernel: 'cubic' }))
  const big = small.resize({ width: across * blockSize, height: down * blockSize, fit: 'fill', kernel: 'nearest' })
  return (await canvas.settle(big)).extract({ left: 0, top: 0, width, height })
}

interface Shaped extends Region {
  shape: 'rect' | 'ellipse'
}

/** Opaque where the soft copy shows. */
function maskOf(
  regions: Shaped[],
  { width, height }: { width: number; height: number },
  feather: number,
): Promise<Buffer> {
  const shapes = regions.map(({ x, y, width: wide, height: high, shape }) =>
    shape === 'rect'
      ? `<rect x="${x}" y="${y}" width="${wide}" height="${high}"/>`
      : `<ellipse cx="${x + wide / 2}" cy="${y + high / 2}" rx="${wide / 2}" ry="${high / 2}"/>`,
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes.join('')}</svg>`
  const image = sharp(Buffer.from(svg), { limitInputPixels: false }).ensureAlpha()
  if (feather > 0) image.blur(Math.max(0.3, feather / 2))
  return image.png({ compressionLevel: 0 }).toBuffer()
}

async function laidOver(whole: Sharp, soft: Sharp, mask: Buffer): Promise<Sharp> {
  const { hasAlpha } = await whole.metadata()
  const cut = await soft
    .ensureAlpha()
    .composite([{ input: mask, blend: 'dest-in', limitInputPixels: false }])
    .png({ compressionLevel: 0 })
    .toBuffer()
  const base = await whole.png({ compressionLevel: 0 }).toBuffer()
  const both = await sharp(base, { limitInputPixels: false })
    .composite([{ input: cut, limitInputPixels: false }])
    .png({ compressionLevel: 0 })
    .toBuffer()
  const made = sharp(both, { limitInputPixels: false })
  return hasAlpha ? made : made.removeAlpha()
}

export interface SharpenOptions extends OutputOptions {
  amount: 'auto' | number
  flat: number
  jagged: number
  denoise: number
}

export function sharpen([file]: string[], options: SharpenOptions, seconds: number): Promise<EncodedImage> {
  const sigma = options.amount === 'auto' ? 1 : options.amount
  return paint(file!, options, seconds, () => async (image, { settle }) => {
    const whole = await settle(image)
    if (options.denoise > 0) whole.median(options.denoise * 2 + 1)
    const calm = await settle(whole)
    return calm.sharpen({ sigma, m1: options.flat, m2: options.jagged })
  })
}

import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { Problem } from '#kit'
import type { VectorFormat } from '../../../../tasks/formats/svg/drawing.ts'
import { MAX_PIXELS, toProblem } from '../source.ts'
import { renderText } from '../text.ts'
import { writeIco } from './containers.ts'

export interface VectorOptions {
  /** `grey` gives one byte per pixel on white, as a scanner sees it. */
  format: VectorFormat | 'grey'
  quality?: number
  lossless?: boolean
}

/** A reference to anything outside the drawing. The renderer follows none; a drawing of ours has none. */
const OUTSIDE_REFERENCE = /\b(?:href|src)\s*=\s*["'](?!data:image\/|#)|url\(\s*["']?(?!#)/i

/** Renders a drawing of ours at the size that it states. */
export async function drawVector(
  [file]: string[],
  { format, quality, lossless = false }: VectorOptions,
  seconds: number,
) {
  const svg = await readFile(file!)
  if (OUTSIDE_REFERENCE.test(svg.toString('latin1')))
    throw new Problem('IMAGE_DECODE_FAILED', { detail: 'outside reference' })
  try {
    const image = sharp(svg, { limitInputPixels: MAX_PIXELS, unlimited: true })
    image.timeout({ seconds: Math.max(1, Math.floor(seconds)) })
    if (format === 'grey') image.flatten({ background: '#ffffff' }).toColourspace('b-w').raw({ depth: 'uchar' })
    if (format === 'png') image.png({ compressionLevel: 6 })
    if (format === 'webp') image.webp({ quality: quality ?? 90, lossless, effort: 2 })
    if (format === 'jpeg')
      image.flatten({ background: '#ffffff' }).jpeg({ quality: quality ?? 90, chromaSubsampling: '4:4:4' })
    if (format === 'avif') image.avif({ quality: quality ?? 60, effort: 2 })
    const { data, info } = await image.toBuffer({ resolveWithObject: true })
    return { bytes: data, width: info.width, height: info.height }
  } catch (error) {
    throw toProblem(error)
  }
}

const ICON_SIDE = 1024

interface IconOptions {
  sizes: readonly number[]
  /** The sizes of the parts of an ICO file. */
  ico?: readonly number[]
}

/** Renders a square drawing once and reduces it to each size, which is sharper than to draw it small. */
export async function drawIcons([file]: string[], { sizes, ico = [] }: IconOptions) {
  const large = await sharp(await readFile(file!), { unlimited: true })
    .png({ compressionLevel: 1 })
    .toBuffer()
  const reduce = (size: number) =>
    sharp(large).resize(size, size, { kernel: 'lanczos3' }).png({ compressionLevel: 9 }).toBuffer()
  const pngs = await Promise.all(sizes.map(reduce))
  const parts = await Promise.all(ico.map(async size => ({ size, png: await reduce(size) })))
  return { pngs, ico: writeIco(parts) }
}

/** An emoji in the colours of the installed font, cut to its edges. */
export async function drawEmoji(_files: string[], { text }: { text: string }) {
  const drawn = await renderText(text, { font: 'Noto Color Emoji', fontSize: ICON_SIDE / 4, color: '#000000' })
  const { data, info } = await sharp(drawn).trim({ threshold: 1 }).png().toBuffer({ resolveWithObject: true })
  return { bytes: data, width: info.width, height: info.height }
}

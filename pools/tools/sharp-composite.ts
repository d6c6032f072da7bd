import sharp, { type Blend, type Sharp } from 'sharp'
import { Problem } from '#kit'
import { placeOf } from './sharp-crop.ts'
import {
  colorOf,
  type EncodedImage,
  encode,
  type OutputOptions,
  pageIndex,
  staysAnimated,
  targetFormat,
} from './sharp-output.ts'
import { framesOf, pageOf, rawOf } from './sharp-paint.ts'
import { asProblem, type ImageSource, openImage, sourceOf } from './sharp-source.ts'
import { decoding } from './sharp-tolerance.ts'

export interface Layer {
  /** Which of the files, from 1; the base is 0. */
  file?: number
  text?: string
  gravity: string
  x: number
  y: number
  width?: number
  height?: number
  /** Share of the base's width. */
  scale?: number
  opacity: number
  blend: Blend
  rotate: number
  tile: boolean
  font: string
  fontSize: number
  color: string
}

export interface CompositeOptions extends OutputOptions {
  layers: Layer[]
}

interface Size {
  width: number
  height: number
}

/** One picture for each frame, ready to lie on the base. */
interface Ready extends Size {
  frames: Buffer[]
  delays?: number[]
  layer: Layer
}

const MOST_TIMES_BASE = 4

export function composite(files: string[], options: CompositeOptions, seconds: number): Promise<EncodedImage> {
  const deadlineMs = performance.now() + seconds * 1000
  return decoding(options, async tolerantOptions => {
    const source = await pageOf(await sourceOf(files[0]!), options)
    const mayMove = ['gif', 'webp'].includes(targetFormat(source, options)) && options.animation === 'auto'
    const layers: Ready[] = []
    for (const [index, layer] of options.layers.entries())
      layers.push(await placed(index, () => readied(layer, files, source, mayMove)))
    return laid(source, layers, tolerantOptions, deadlineMs)
  })
}

async function laid(
  source: ImageSource,
  layers: Ready[],
  options: CompositeOptions,
  deadlineMs: number,
): Promise<EncodedImage> {
  const isMoving = staysAnimated(source, options)
  const longest = layers.reduce((best, next) => (next.frames.length > best.frames.length ? next : best))
  const count = isMoving ? source.frames : longest.frames.length
  const bases = isMoving ? (await framesOf(source, options)).images : []
  const still = () => openImage(source, { page: pageIndex(source, options), tolerant: options.tolerant })
  if (count === 1) return encode(await laidOn(still(), source, layers, 0), source, options)
  const made: { data: Buffer; width: number; height: number }[] = []
  for (let frame = 0; frame < count; frame++) {
    if (performance.now() > deadlineMs) throw new Problem('TIME_LIMIT_EXCEEDED')
    made.push(await rawOf(await laidOn(bases[frame] ?? still(), source, layers, frame)))
  }
  const { delay, loop = 0 } = source.metadata
  return encode(inOne(made), source, { ...options, motion: { delay: isMoving ? delay : longest.delays, loop } })
}

function inOne(frames: { data: Buffer; width: number; height: number }[]): Sharp {
  const { width, height } = frames[0]!
  const raw = { width, height: height * frames.length, channels: 4 as const, pageHeight: height }
  return sharp(Buffer.concat(frames.map(({ data }) => data)), { raw, limitInputPixels: false })
}

/** Says which layer is to blame. */
async function placed<Value>(index: number, make: () => Promise<Value>): Promise<Value> {
  try {
    return await make()
  } catch (error) {
    const problem = asProblem(error)
    if (problem instanceof Problem) throw new Problem(problem.code, { ...problem.hints, index })
    throw error
  }
}

async function readied(layer: Layer, files: string[], base: ImageSource, mayMove: boolean): Promise<Ready> {
  if (layer.text !== undefined) return finished([await textOf(layer)], undefined, layer, base)
  const source = await sourceOf(files[layer.file!]!)
  if (
    source.width * source.height > MOST_TIMES_BASE * base.width * base.height &&
    wantedSize(layer, base) === undefined
  )
    throw new Problem('LAYER_TOO_LARGE', {
      limit: MOST_TIMES_BASE * base.width * base.height,
      actual: source.width * source.height,
    })
  const isMoving = mayMove && source.frames > 1
  const images = isMoving ? (await framesOf(source, { tolerant: false })).images : [openImage(source, {})]
  return finished(images, isMoving ? source.metadata.delay : undefined, layer, base)
}

async function textOf({ text, font, fontSize, color }: Layer): Promise<Sharp> {
  await checkLetters(text!)
  const { r, g, b, alpha } = await rgbaOf(color)
  const hex = [r, g, b].map(part => part.toString(16).padStart(2, '0')).join('')
  const plain = text!.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const share = Math.max(1, Math.round((alpha / 255) * 100))
  const markup = `<span foreground="#${hex}" alpha="${share}%">${plain}</span>`
  const bytes = await sharp({ text: { text: markup, font: `${font} ${fontSize}`, dpi: 72, rgba: true } })
    .png()
    .toBuffer()
  return sharp(bytes)
}

/** Letters that no font has would be drawn as empty boxes. */
async function checkLetters(text: string): Promise<void> {
  if (LATIN.test(text)) return
  const { missingCharacters } = await import('./font-shaping.ts')
  const characters = missingCharacters(text, { family: 'sans', bold: false }).filter(sign => !EMOJI.test(sign))
  if (characters.length > 0) throw new Problem('FONT_UNAVAILABLE', { characters: characters.slice(0, 20) })
}

const LATIN = /^[\s\u0020-\u007e\u00a0-\u024f]*$/
/** Fonts of pictures are for the drawing alone and known to it. */
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u

async function rgbaOf(text: string): Promise<{ r: number; g: number; b: number; alpha: number }> {
  const background = colorOf('color', text)
  const [r = 0, g = 0, b = 0, alpha = 255] = await sharp({ create: { width: 1, height: 1, channels: 4, background } })
    .raw()
    .toBuffer()
  return { r, g, b, alpha }
}

function wantedSize({ width, height, scale }: Layer, base: Size): { width?: number; height?: number } | undefined {
  if (scale !== undefined) return { width: Math.max(1, Math.round(base.width * scale)) }
  return width === undefined && height === undefined ? undefined : { width, height }
}

/** Sized, turned and thinned; what reaches over the base on every side is cut, since libvips refuses it. */
async function finished(images: Sharp[], delays: number[] | undefined, layer: Layer, base: Size): Promise<Ready> {
  const frames: Buffer[] = []
  let size: Size = { width: 1, height: 1 }
  for (const image of images) {
    const box = wantedSize(layer, base)
    if (box) image.resize({ ...box, fit: 'inside' })
    const sized = await pngOf(image.toColourspace('srgb').ensureAlpha())
    const turned = await pngOf(sharp(sized).rotate(layer.rotate, { background: 'transparent' }))
    const { width, height } = await sharp(turned).metadata()
    size = { width, height }
    const veil = {
      input: {
        create: { width: 1, height: 1, channels: 4 as const, background: { r: 0, g: 0, b: 0, alpha: layer.opacity } },
      },
    }
    frames.push(
      layer.opacity < 1 ? await pngOf(sharp(turned).composite([{ ...veil, tile: true, blend: 'dest-in' }])) : turned,
    )
  }
  return { frames, delays, layer, ...size }
}

function pngOf(image: Sharp): Promise<Buffer> {
  return image.png({ compressionLevel: 0 }).toBuffer()
}

async function laidOn(base: Sharp, size: Size, layers: Ready[], frame: number): Promise<Sharp> {
  const upright = await pngOf(base.toColourspace('srgb'))
  const { hasAlpha } = await sharp(upright).metadata()
  let below = upright
  for (const ready of layers) below = await onTop(below, size, ready, frame)
  const whole = sharp(below, { limitInputPixels: false })
  return hasAlpha ? whole : whole.removeAlpha()
}

async function onTop(below: Buffer, size: Size, ready: Ready, frame: number): Promise<Buffer> {
  const { layer } = ready
  const input = ready.frames[frame % ready.frames.length]!
  if (layer.tile) {
    const cut = await clipped(input, ready, { x: 0, y: 0 }, size)
    return pngOf(sharp(below).composite([{ input: cut!.input, tile: true, blend: layer.blend }]))
  }
  const rest = { x: size.width - ready.width, y: size.height - ready.height }
  const corner = placeOf(layer.gravity, rest)
  const x = corner.x + (layer.gravity.includes('east') ? -layer.x : layer.x)
  const y = corner.y + (layer.gravity.includes('south') ? -layer.y : layer.y)
  const part = await clipped(input, ready, { x, y }, size)
  return part ? pngOf(sharp(below).composite([{ ...part, blend: layer.blend }])) : below
}

/** The part of a layer that lies on the base; nothing where none does. */
async function clipped(input: Buffer, layer: Size, at: { x: number; y: number }, base: Size) {
  const [left, top] = [Math.max(0, at.x), Math.max(0, at.y)]
  const width = Math.min(base.width, at.x + layer.width) - left
  const height = Math.min(base.height, at.y + layer.height) - top
  if (width < 1 || height < 1) return undefined
  const cut = await pngOf(sharp(input).extract({ left: left - at.x, top: top - at.y, width, height }))
  return { input: cut, left, top }
}

import sharp, { type Blend, type Sharp } from 'sharp'
import { Problem, type Warning } from '#kit'
import type { Point, Size } from '../../../../tasks/formats/geometry/region.ts'
import { warnOfOutside } from '../encode/outside.ts'
import {
  chooseFormat,
  encode,
  type ImageResult,
  isOutputAnimated,
  type OutputOptions,
  parseRgba,
  resolvePageIndex,
} from '../output.ts'
import { type ImageSource, openImage, readSource, withHints } from '../source.ts'
import { renderText } from '../text.ts'
import { withTolerance } from '../tolerance.ts'
import { alignByGravity } from './crop.ts'
import { joinFrames, type PixelBuffer, readFrames, readRgba, selectPage } from './draw.ts'

interface Layer {
  /** Index of the layer's image among the files; the base image is 0. */
  file?: number
  text?: string
  gravity: string
  x: number
  y: number
  width?: number
  height?: number
  /** Fraction of the base's width. */
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

/** A layer in its final size, rotation and opacity: one PNG for each frame. */
interface PreparedLayer extends Size {
  frames: Buffer[]
  delays?: number[]
  layer: Layer
  /** What of its image is not drawn. */
  warnings: Warning[]
}

const MAX_TIMES_BASE = 4

export function composite(files: string[], options: CompositeOptions, seconds: number): Promise<ImageResult> {
  const deadlineMs = performance.now() + seconds * 1000
  return withTolerance(options, async tolerantOptions => {
    const source = await selectPage(await readSource(files[0]!, options), options)
    const canAnimate = ['gif', 'webp'].includes(chooseFormat(source, options)) && options.animation === 'auto'
    const layers: PreparedLayer[] = []
    for (const [index, layer] of options.layers.entries())
      layers.push(await withHints({ index }, () => prepareLayer(layer, files, source, canAnimate)))
    const composed = await composeFrames(source, layers, tolerantOptions, deadlineMs)
    return { ...composed, warnings: [...composed.warnings, ...layers.flatMap(collectWarnings)] }
  })
}

function collectWarnings({ warnings }: PreparedLayer, index: number): Warning[] {
  return warnings.map(({ code, message }) => ({ code, message: `Layer ${index}: ${message}` }))
}

async function composeFrames(
  source: ImageSource,
  layers: PreparedLayer[],
  options: CompositeOptions,
  deadlineMs: number,
): Promise<ImageResult> {
  const isAnimated = isOutputAnimated(source, options)
  const longest = layers.reduce((best, next) => (next.frames.length > best.frames.length ? next : best))
  const count = isAnimated ? source.frames : longest.frames.length
  const baseFrames = isAnimated ? (await readFrames(source, options)).images : []
  const openStill = () => openImage(source, { page: resolvePageIndex(source, options), tolerant: options.tolerant })
  if (count === 1) return encode(await drawLayers(openStill(), source, layers, 0), source, options)
  const composed: PixelBuffer[] = []
  for (let frame = 0; frame < count; frame++) {
    if (performance.now() > deadlineMs) throw new Problem('TIME_LIMIT_EXCEEDED')
    composed.push(await readRgba(await drawLayers(baseFrames[frame] ?? openStill(), source, layers, frame)))
  }
  const { delay, loop = 0 } = source.metadata
  const timing = { delay: isAnimated ? delay : longest.delays, loop }
  return encode(joinFrames(composed), source, { ...options, timing })
}

async function prepareLayer(
  layer: Layer,
  files: string[],
  base: ImageSource,
  canAnimate: boolean,
): Promise<PreparedLayer> {
  if (layer.text !== undefined) {
    const image = await renderTextLayer(layer)
    if (resolveSize(layer, base)) checkLayerSize(layer, await image.metadata(), base)
    return renderLayer([image], undefined, layer, base)
  }
  const source = await readSource(files[layer.file!]!)
  checkLayerSize(layer, source, base)
  const isAnimated = canAnimate && source.frames > 1
  const images = isAnimated ? (await readFrames(source, { tolerant: false })).images : [openImage(source, {})]
  const prepared = await renderLayer(images, isAnimated ? source.metadata.delay : undefined, layer, base)
  return { ...prepared, warnings: await warnOfMissing(source, isAnimated) }
}

async function warnOfMissing(source: ImageSource, isAnimated: boolean): Promise<Warning[]> {
  const frames = Math.max(isAnimated ? 1 : source.frames, source.unreadFrames)
  const flattened = { code: 'ANIMATION_FLATTENED', message: `Only the first of ${frames} frames is drawn.` }
  return [...(frames > 1 ? [flattened] : []), ...(await warnOfOutside(source))]
}

/** The size that counts is the one in which the layer is drawn. */
function checkLayerSize(layer: Layer, natural: Size, base: Size): void {
  const { width = Infinity, height = Infinity } = resolveSize(layer, base) ?? natural
  const scale = Math.min(width / natural.width, height / natural.height)
  const limit = MAX_TIMES_BASE * base.width * base.height
  const actual = Math.round(natural.width * scale) * Math.round(natural.height * scale)
  if (actual > limit) throw new Problem('LAYER_TOO_LARGE', { limit, actual })
}

async function renderTextLayer({ text, font, fontSize, color }: Layer): Promise<Sharp> {
  await checkGlyphs(text!)
  const rgba = await parseRgba('color', color)
  const alphaPercent = Math.max(1, Math.round((rgba[3]! / 255) * 100))
  const opaqueColor = `#${rgba.toString('hex', 0, 3)}`
  return sharp(await renderText(text!, { font, fontSize, color: opaqueColor, alphaPercent }))
}

/** Rejects characters that no installed font has; they would be drawn as empty boxes. */
async function checkGlyphs(text: string): Promise<void> {
  if (LATIN_TEXT.test(text)) return
  const { findMissingCharacters } = await import('../../fonts/shaping.ts')
  const missing = findMissingCharacters(text, { family: 'sans', bold: false }).filter(
    character => !EMOJI.test(character),
  )
  if (missing.length > 0) throw new Problem('FONT_UNAVAILABLE', { characters: missing.slice(0, 20) })
}

const LATIN_TEXT = /^[\s\u0020-\u007e\u00a0-\u024f]*$/
/** Excluded from the check: libvips draws emoji with a font that the check does not know. */
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u

function resolveSize({ width, height, scale }: Layer, base: Size): Partial<Size> | undefined {
  if (scale !== undefined) return { width: Math.max(1, Math.round(base.width * scale)) }
  return width === undefined && height === undefined ? undefined : { width, height }
}

async function renderLayer(
  images: Sharp[],
  delays: number[] | undefined,
  layer: Layer,
  base: Size,
): Promise<PreparedLayer> {
  const frames: Buffer[] = []
  let size: Size = { width: 1, height: 1 }
  for (const image of images) {
    const box = resolveSize(layer, base)
    if (box) image.resize({ ...box, fit: 'inside' })
    const sized = await toPng(image.toColourspace('srgb').ensureAlpha())
    const rotated = await toPng(sharp(sized).rotate(layer.rotate, { background: 'transparent' }))
    const { width, height } = await sharp(rotated).metadata()
    size = { width, height }
    frames.push(layer.opacity < 1 ? await applyOpacity(rotated, layer.opacity) : rotated)
  }
  return { frames, delays, layer, ...size, warnings: [] }
}

function applyOpacity(image: Buffer, opacity: number): Promise<Buffer> {
  const background = { r: 0, g: 0, b: 0, alpha: opacity }
  const input = { create: { width: 1, height: 1, channels: 4 as const, background } }
  return toPng(sharp(image).composite([{ input, tile: true, blend: 'dest-in' }]))
}

function toPng(image: Sharp): Promise<Buffer> {
  return image.png({ compressionLevel: 0 }).toBuffer()
}

/** They take parts of the image away, also of one that has no transparency itself. */
const CUTTING_BLENDS: ReadonlySet<Blend> = new Set(['dest-in', 'dest-out', 'xor'])

async function drawLayers(base: Sharp, size: Size, layers: PreparedLayer[], frame: number): Promise<Sharp> {
  const backdrop = await toPng(base.toColourspace('srgb'))
  const { hasAlpha } = await sharp(backdrop).metadata()
  let composed = backdrop
  for (const layer of layers) composed = await drawLayer(composed, size, layer, frame)
  const result = sharp(composed, { limitInputPixels: false })
  const isCut = layers.some(({ layer }) => CUTTING_BLENDS.has(layer.blend))
  return hasAlpha || isCut ? result : result.removeAlpha()
}

async function drawLayer(backdrop: Buffer, size: Size, prepared: PreparedLayer, frame: number): Promise<Buffer> {
  const { layer } = prepared
  const input = prepared.frames[frame % prepared.frames.length]!
  if (layer.tile) {
    const clipped = await clipToBase(input, prepared, { x: 0, y: 0 }, size)
    return toPng(sharp(backdrop).composite([{ input: clipped!.input, tile: true, blend: layer.blend }]))
  }
  const free = { x: size.width - prepared.width, y: size.height - prepared.height }
  const corner = alignByGravity(layer.gravity, free)
  const x = corner.x + (layer.gravity.includes('east') ? -layer.x : layer.x)
  const y = corner.y + (layer.gravity.includes('south') ? -layer.y : layer.y)
  const clipped = await clipToBase(input, prepared, { x, y }, size)
  return clipped ? toPng(sharp(backdrop).composite([{ ...clipped, blend: layer.blend }])) : backdrop
}

/** The part of a layer that lies inside the base, since libvips rejects overlays that reach outside. */
async function clipToBase(input: Buffer, layer: Size, position: Point, base: Size) {
  const [left, top] = [Math.max(0, position.x), Math.max(0, position.y)]
  const width = Math.min(base.width, position.x + layer.width) - left
  const height = Math.min(base.height, position.y + layer.height) - top
  if (width < 1 || height < 1) return undefined
  const clipped = await toPng(sharp(input).extract({ left: left - position.x, top: top - position.y, width, height }))
  return { input: clipped, left, top }
}

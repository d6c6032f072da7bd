import type { Sharp } from 'sharp'
import { greysOf, held, likeness } from './sharp-likeness.ts'
import {
  type EncodedImage,
  encode,
  type OutputFormat,
  type OutputOptions,
  staysAnimated,
  targetFormat,
} from './sharp-output.ts'
import { type ImageSource, openImage, sourceOf } from './sharp-source.ts'
import { decoding } from './sharp-tolerance.ts'

export interface CompressOptions extends Omit<OutputOptions, 'format' | 'quality'> {
  format: 'keep' | 'auto'
  quality: 'auto' | number
  minSimilarity: number
  maxBytes?: number
  allowResize: boolean
  palette: boolean
  progressive: boolean
}

export interface CompressedImage extends EncodedImage {
  /** Left out where nothing was lost. */
  quality?: number
  outputBytes: number
}

const LOSSY = new Set<OutputFormat>(['jpeg', 'webp', 'avif'])

export function compress([file]: string[], options: CompressOptions, seconds: number): Promise<CompressedImage> {
  const deadlineMs = performance.now() + seconds * 1000
  return decoding(options, async tolerantOptions => {
    const source = await sourceOf(file!)
    const work = { source, options: tolerantOptions, deadlineMs }
    const made: CompressedImage[] = []
    for (const format of candidates(source, tolerantOptions)) made.push(await smallest(work, format))
    return made.reduce((best, next) => (sizeOf(next) < sizeOf(best) ? next : best))
  })
}

interface Work {
  source: ImageSource
  options: CompressOptions
  deadlineMs: number
}

function candidates(source: ImageSource, options: CompressOptions): OutputFormat[] {
  if (options.format === 'keep') return [targetFormat(source, { ...options, format: 'keep', quality: undefined })]
  if (source.frames > 1) return ['webp']
  const always: OutputFormat[] = ['webp', 'avif', 'png']
  return source.metadata.hasAlpha ? always : [...always, 'jpeg']
}

function sizeOf({ outputBytes }: CompressedImage): number {
  return outputBytes
}

async function smallest(work: Work, format: OutputFormat): Promise<CompressedImage> {
  const { options } = work
  if (!LOSSY.has(format)) return fitted(work, format, undefined)
  const quality = options.quality === 'auto' ? await leastQuality(work, format) : options.quality
  return fitted(work, format, quality)
}

/** As small as is wanted: lower quality first, then fewer pixels where the caller allows that. */
async function fitted(work: Work, format: OutputFormat, quality: number | undefined): Promise<CompressedImage> {
  const { maxBytes, allowResize } = work.options
  let made = await written(work, format, quality, 1)
  if (maxBytes === undefined || sizeOf(made) <= maxBytes) return made
  if (quality !== undefined) made = await search(1, quality - 1, made, maxBytes, at => written(work, format, at, 1))
  if (sizeOf(made) <= maxBytes || !allowResize) return made
  const lowest = made.quality
  return search(2, 95, made, maxBytes, percent => written(work, format, lowest, percent / 100))
}

/** The highest step that fits, or the lowest of all. */
async function search(
  low: number,
  high: number,
  start: CompressedImage,
  maxBytes: number,
  make: (step: number) => Promise<CompressedImage>,
): Promise<CompressedImage> {
  let best = start
  let [from, to] = [low, high]
  while (from <= to) {
    const step = (from + to) >> 1
    const made = await make(step)
    const fits = sizeOf(made) <= maxBytes
    if (fits || sizeOf(best) > maxBytes) best = fits || sizeOf(made) < sizeOf(best) ? made : best
    if (fits) from = step + 1
    else to = step - 1
  }
  return best
}

async function written(
  { source, options, deadlineMs }: Work,
  format: OutputFormat,
  quality: number | undefined,
  scale: number,
): Promise<CompressedImage> {
  const choices = outputOf(options, format, quality)
  const image = openImage(source, { animated: staysAnimated(source, choices), tolerant: options.tolerant })
  image.timeout({ seconds: Math.max(1, Math.ceil((deadlineMs - performance.now()) / 1000)) })
  if (scale < 1) image.resize({ width: Math.max(1, Math.round(source.width * scale)) })
  const made = await encode(image, source, choices)
  return { ...made, quality, outputBytes: made.bytes!.length }
}

function outputOf(options: CompressOptions, format: OutputFormat, quality: number | undefined): OutputOptions {
  const { palette, progressive } = options
  const passes = format === 'jpeg' && progressive
  // Its hardest effort gains a few bytes for many times the work.
  const effort = { png: 9, gif: 7, webp: 6, avif: 2, jpeg: undefined, tiff: undefined }[format]
  return { ...options, format, quality, encoder: { palette, progressive: passes, mozjpeg: format === 'jpeg', effort } }
}

const SAMPLE_SIDE = 768
const [LOWEST, HIGHEST] = [30, 95]

/** The lowest quality at which the middle of the picture still looks like itself. */
async function leastQuality({ source, options }: Work, format: OutputFormat): Promise<number> {
  const width = Math.min(SAMPLE_SIDE, source.width)
  const height = Math.min(SAMPLE_SIDE, source.height)
  const box = { left: (source.width - width) >> 1, top: (source.height - height) >> 1, width, height }
  const whole = await openImage(source, { page: 0, tolerant: options.tolerant }).png({ compressionLevel: 0 }).toBuffer()
  const sample = await held(whole).extract(box).png({ compressionLevel: 0 }).toBuffer()
  const original = await greysOf(held(sample))
  let [from, to] = [LOWEST, HIGHEST]
  while (from < to) {
    const quality = (from + to) >> 1
    const bytes = await sampled(held(sample), format, quality).toBuffer()
    if (likeness(original, await greysOf(held(bytes))) >= options.minSimilarity) to = quality
    else from = quality + 1
  }
  return from
}

function sampled(image: Sharp, format: OutputFormat, quality: number): Sharp {
  if (format === 'webp') return image.webp({ quality })
  if (format === 'avif') return image.avif({ quality, effort: 2 })
  return image.flatten({ background: '#ffffff' }).jpeg({ quality })
}

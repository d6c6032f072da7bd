import type { Sharp } from 'sharp'
import type { ImageFormat } from '../../../../tasks/formats/raster/image.ts'
import { computeSimilarity, openBuffer, readGrey } from '../analyse/similarity.ts'
import { chooseFormat, encode, type ImageResult, isOutputAnimated, type OutputOptions } from '../output.ts'
import { type ImageSource, openImage, readSource } from '../source.ts'
import { withTolerance } from '../tolerance.ts'

export interface CompressOptions extends Omit<OutputOptions, 'format' | 'quality'> {
  format: 'keep' | 'auto'
  quality: 'auto' | number
  minSimilarity: number
  maxBytes?: number
  allowResize: boolean
  palette: boolean
  progressive: boolean
}

export interface CompressedImage extends ImageResult {
  /** Absent for lossless formats. */
  quality?: number
  outputBytes: number
}

const LOSSY = new Set<ImageFormat>(['jpeg', 'webp', 'avif'])

export function compress([file]: string[], options: CompressOptions, seconds: number): Promise<CompressedImage> {
  const deadlineMs = performance.now() + seconds * 1000
  return withTolerance(options, async tolerantOptions => {
    const source = await readSource(file!, options)
    const compression = { source, options: tolerantOptions, deadlineMs }
    const results: CompressedImage[] = []
    for (const format of listCandidateFormats(source, tolerantOptions))
      results.push(await compressAs(compression, format))
    return results.reduce((best, next) => (sizeOf(next) < sizeOf(best) ? next : best))
  })
}

interface Compression {
  source: ImageSource
  options: CompressOptions
  deadlineMs: number
}

function listCandidateFormats(source: ImageSource, options: CompressOptions): ImageFormat[] {
  if (options.format === 'keep') return [chooseFormat(source, { ...options, format: 'keep', quality: undefined })]
  if (source.frames > 1) return ['webp']
  const always: ImageFormat[] = ['webp', 'avif', 'png']
  return source.metadata.hasAlpha ? always : [...always, 'jpeg']
}

function sizeOf({ outputBytes }: CompressedImage): number {
  return outputBytes
}

async function compressAs(compression: Compression, format: ImageFormat): Promise<CompressedImage> {
  const { options } = compression
  if (!LOSSY.has(format)) return fitIntoBytes(compression, format, undefined)
  const quality = options.quality === 'auto' ? await findLowestQuality(compression, format) : options.quality
  return fitIntoBytes(compression, format, quality)
}

/** Encodes within `maxBytes`: lowers the quality first, then reduces the size in pixels if the caller allows that. */
async function fitIntoBytes(
  compression: Compression,
  format: ImageFormat,
  quality: number | undefined,
): Promise<CompressedImage> {
  const { maxBytes, allowResize } = compression.options
  let best = await encodeAt(compression, format, quality, 1)
  if (maxBytes === undefined || sizeOf(best) <= maxBytes) return best
  if (quality !== undefined)
    best = await searchLargestFit(1, quality - 1, best, maxBytes, step => encodeAt(compression, format, step, 1))
  if (sizeOf(best) <= maxBytes || !allowResize) return best
  const lowest = best.quality
  return searchLargestFit(2, 95, best, maxBytes, percent => encodeAt(compression, format, lowest, percent / 100))
}

/** Returns the result of the highest step that fits into `maxBytes`, or else the smallest result. */
async function searchLargestFit(
  low: number,
  high: number,
  start: CompressedImage,
  maxBytes: number,
  encodeStep: (step: number) => Promise<CompressedImage>,
): Promise<CompressedImage> {
  let best = start
  let [from, to] = [low, high]
  while (from <= to) {
    const step = (from + to) >> 1
    const candidate = await encodeStep(step)
    const fits = sizeOf(candidate) <= maxBytes
    if (fits || sizeOf(best) > maxBytes) best = fits || sizeOf(candidate) < sizeOf(best) ? candidate : best
    if (fits) from = step + 1
    else to = step - 1
  }
  return best
}

async function encodeAt(
  { source, options, deadlineMs }: Compression,
  format: ImageFormat,
  quality: number | undefined,
  scale: number,
): Promise<CompressedImage> {
  const output = chooseOutputOptions(options, format, quality)
  const image = openImage(source, { animated: isOutputAnimated(source, output), tolerant: options.tolerant })
  image.timeout({ seconds: Math.max(1, Math.ceil((deadlineMs - performance.now()) / 1000)) })
  if (scale < 1) image.resize({ width: Math.max(1, Math.round(source.width * scale)) })
  const encoded = await encode(image, source, output)
  return { ...encoded, quality, outputBytes: encoded.bytes!.length }
}

function chooseOutputOptions(
  options: CompressOptions,
  format: ImageFormat,
  quality: number | undefined,
): OutputOptions {
  const { palette, progressive } = options
  const isProgressive = format === 'jpeg' && progressive
  // AVIF stays at effort 2: higher efforts save a few bytes for many times the work.
  const effort = { png: 9, gif: 7, webp: 6, avif: 2, jpeg: undefined, tiff: undefined }[format]
  return {
    ...options,
    format,
    quality,
    encoder: { palette, progressive: isProgressive, mozjpeg: format === 'jpeg', effort },
  }
}

const SAMPLE_SIDE = 768
const [MIN_QUALITY, MAX_QUALITY] = [30, 95]

/** The lowest quality at which a sample from the middle of the image stays similar enough. */
async function findLowestQuality({ source, options }: Compression, format: ImageFormat): Promise<number> {
  const width = Math.min(SAMPLE_SIDE, source.width)
  const height = Math.min(SAMPLE_SIDE, source.height)
  const box = { left: (source.width - width) >> 1, top: (source.height - height) >> 1, width, height }
  const decoded = await openImage(source, { page: 0, tolerant: options.tolerant })
    .png({ compressionLevel: 0 })
    .toBuffer()
  const sample = await openBuffer(decoded).extract(box).png({ compressionLevel: 0 }).toBuffer()
  const original = await readGrey(openBuffer(sample))
  let [from, to] = [MIN_QUALITY, MAX_QUALITY]
  while (from < to) {
    const quality = (from + to) >> 1
    const bytes = await encodeSample(openBuffer(sample), format, quality).toBuffer()
    if (computeSimilarity(original, await readGrey(openBuffer(bytes))) >= options.minSimilarity) to = quality
    else from = quality + 1
  }
  return from
}

function encodeSample(image: Sharp, format: ImageFormat, quality: number): Sharp {
  if (format === 'webp') return image.webp({ quality })
  if (format === 'avif') return image.avif({ quality, effort: 2 })
  return image.flatten({ background: '#ffffff' }).jpeg({ quality })
}

import { encode as blurhashOf } from 'blurhash'
import { type ImageSource, openImage, readHeader, readSource, toProblem } from '../source.ts'
import { computeDifferenceHash } from './difference-hash.ts'

export interface DescribeOptions {
  stats: boolean
  hashes: boolean
}

/** What the header says, and the metadata blocks as they are in the file. */
export interface Description {
  format: string
  mime: string
  width: number
  height: number
  displayWidth: number
  displayHeight: number
  orientation: number
  pages: number
  frames: number
  delaysMs?: number[]
  loop?: number
  hasAlpha: boolean
  bitDepth: number
  colorSpace: string
  dpi?: number
  chroma?: string
  progressive: boolean
  exif?: Uint8Array
  iptc?: Uint8Array
  icc?: Uint8Array
  xmp?: string
  stats?: { entropy: number; sharpness: number; mean: number[]; isOpaque: boolean }
  hashes?: { perceptual: string; blurhash: string }
}

const DEPTH_BITS: Record<string, number> = {
  uchar: 8,
  char: 8,
  ushort: 16,
  short: 16,
  uint: 32,
  int: 32,
  float: 32,
  double: 64,
}

/** Reads the header only, so images of any size are accepted. Only `stats` and `hashes` decode the pixels. */
export async function describe([file]: string[], options: DescribeOptions): Promise<Description> {
  try {
    const source = await (options.stats || options.hashes ? readSource(file!) : readHeader(file!))
    const stats = options.stats ? await computeStats(source) : undefined
    const hashes = options.hashes ? await computeHashes(source) : undefined
    return { ...describeHeader(source), stats, hashes }
  } catch (error) {
    throw toProblem(error)
  }
}

function describeHeader({ metadata, ...source }: ImageSource): Description {
  const format = metadata.compression === 'hevc' ? 'heic' : source.format
  const { delay, loop } = metadata
  return {
    format,
    mime: format === 'svg' ? 'image/svg+xml' : `image/${format}`,
    width: metadata.width,
    height: metadata.height,
    displayWidth: source.width,
    displayHeight: source.height,
    orientation: metadata.orientation ?? 1,
    pages: Math.max(source.pages, source.unreadFrames),
    frames: Math.max(source.frames, source.unreadFrames),
    delaysMs: delay,
    loop: delay ? (loop ?? 0) : undefined,
    hasAlpha: metadata.hasAlpha,
    bitDepth: metadata.bitsPerSample ?? DEPTH_BITS[metadata.depth] ?? 8,
    colorSpace: metadata.space,
    dpi: source.dpi,
    chroma: metadata.chromaSubsampling,
    progressive: metadata.isProgressive,
    exif: metadata.exif,
    iptc: metadata.iptc,
    icc: metadata.icc,
    xmp: metadata.xmpAsString,
  }
}

async function computeStats(source: ImageSource): Promise<Description['stats']> {
  const { entropy, sharpness, channels, isOpaque } = await openImage(source, {}).stats()
  const round = (value: number) => Math.round(value * 1000) / 1000
  return {
    entropy: round(entropy),
    sharpness: round(sharpness),
    mean: channels.map(({ mean }) => round(mean)),
    isOpaque,
  }
}

async function computeHashes(source: ImageSource): Promise<Description['hashes']> {
  const small = await openImage(source, {})
    .resize(64, 64, { fit: 'inside' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width, height } = small.info
  const blurhash = blurhashOf(new Uint8ClampedArray(small.data), width, height, 4, 3)
  return { perceptual: await computeDifferenceHash(source), blurhash }
}

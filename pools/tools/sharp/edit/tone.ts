import sharp, { type Sharp } from 'sharp'
import { type ImageResult, type OutputOptions, parseColor } from '../output.ts'
import { type Canvas, openRgba, paint, readRgba } from './draw.ts'

export interface AdjustOptions extends OutputOptions {
  brightness: number
  contrast: number
  saturation: number
  hue: number
  gamma?: number
  temperature: number
  tint?: string
  negate: boolean
  normalize: boolean
  sepia: number
  clahe?: { tile: number; maxSlope: number }
}

/** Applies levels first, then tone, colour and tint. Transparency is unchanged. */
export function adjust([file]: string[], options: AdjustOptions, seconds: number): Promise<ImageResult> {
  return paint(
    file!,
    options,
    seconds,
    () => (image, canvas) =>
      transformColors(image, canvas, async opaque => {
        const toned = applyTone(await canvas.materialize(applyLevels(opaque, canvas, options)), canvas, options)
        const colored = applyColor(await canvas.materialize(toned), options)
        const tinted = await canvas.materialize(colored)
        return options.tint === undefined ? tinted : tinted.tint(parseColor('tint', options.tint))
      }),
  )
}

/** Changes the colours and restores the original alpha channel afterwards. */
async function transformColors(
  image: Sharp,
  canvas: Canvas,
  change: (opaque: Sharp) => Promise<Sharp> | Sharp,
): Promise<Sharp> {
  const original = await canvas.materialize(image)
  const { hasAlpha } = await original.metadata()
  if (!hasAlpha) return change(original)
  const depth = canvas.is16Bit ? 'grey16' : 'b-w'
  const channel = original.clone().extractChannel(3).toColourspace(depth)
  const alpha = await channel.png({ compressionLevel: 0 }).toBuffer()
  const changed = await canvas.materialize(await change(await canvas.materialize(original.removeAlpha())))
  return changed.joinChannel(alpha)
}

function applyLevels(image: Sharp, { width, height }: Canvas, { normalize, clahe }: AdjustOptions): Sharp {
  if (normalize) image.normalise()
  if (clahe) {
    const tile = { width: Math.min(clahe.tile, width), height: Math.min(clahe.tile, height) }
    image.clahe({ ...tile, maxSlope: clahe.maxSlope })
  }
  return image
}

function applyTone(image: Sharp, { is16Bit }: Canvas, { brightness, contrast, gamma }: AdjustOptions): Sharp {
  const middle = is16Bit ? 32_768 : 128
  if (brightness !== 1 || contrast !== 1) image.linear(brightness * contrast, brightness * middle * (1 - contrast))
  if (gamma !== undefined) image.gamma(1, gamma)
  return image
}

type Row = [number, number, number]
type ColorMatrix = [Row, Row, Row]

const SEPIA: ColorMatrix = [
  [0.393, 0.769, 0.189],
  [0.349, 0.686, 0.168],
  [0.272, 0.534, 0.131],
]

function applyColor(image: Sharp, { saturation, hue, temperature, negate, sepia }: AdjustOptions): Sharp {
  if (saturation !== 1 || hue !== 0) image.modulate({ saturation, hue: ((hue % 360) + 360) % 360 })
  const warmth = temperature / 400
  if (temperature !== 0 || sepia !== 0) {
    const mixed = SEPIA.map((row, index) =>
      row.map((share, column) => share * sepia + (index === column ? 1 - sepia : 0)),
    )
    const gains = [1 + warmth, 1, 1 - warmth]
    image.recomb(mixed.map((row, index) => row.map(share => share * gains[index]!)) as ColorMatrix)
  }
  if (negate) image.negate({ alpha: false })
  return image
}

export interface GrayscaleOptions extends OutputOptions {
  method: 'luma' | 'average' | 'lightness'
  /** Pixels at least this bright become white, all others black. */
  threshold?: number
  dither: boolean
  contrast: number
}

const WEIGHTS: Record<'luma' | 'average', Row> = {
  luma: [0.2126, 0.7152, 0.0722],
  average: [1 / 3, 1 / 3, 1 / 3],
}

export function grayscale([file]: string[], options: GrayscaleOptions, seconds: number): Promise<ImageResult> {
  const isBinary = options.threshold !== undefined || options.dither
  const encoder = isBinary ? { bitDepth: 1 as const } : {}
  const encoding = { ...options, grey: true, encoder }
  return paint(file!, encoding, seconds, () => {
    return async (image, canvas) => {
      const grey = applyContrast(await toGrey(image, canvas, options), canvas, options.contrast)
      if (options.dither) return dither(await canvas.materialize(grey), options.threshold ?? 128)
      return options.threshold === undefined ? grey : applyThreshold(await canvas.materialize(grey), options.threshold)
    }
  })
}

function applyContrast(image: Sharp, { is16Bit }: Canvas, contrast: number): Sharp {
  return contrast === 1 ? image : image.linear(contrast, (is16Bit ? 32_768 : 128) * (1 - contrast))
}

async function toGrey(image: Sharp, canvas: Canvas, { method }: GrayscaleOptions): Promise<Sharp> {
  if (method !== 'lightness') {
    const row = WEIGHTS[method]
    return canvas.materialize(await transformColors(image, canvas, opaque => opaque.recomb([row, row, row])))
  }
  return mapPixels(
    await canvas.materialize(image),
    (data, offset) => (Math.max(...readRgb(data, offset)) + Math.min(...readRgb(data, offset))) / 2,
  )
}

function readRgb(data: Buffer, offset: number): Row {
  return [data[offset]!, data[offset + 1]!, data[offset + 2]!]
}

function applyThreshold(image: Sharp, threshold: number): Promise<Sharp> {
  return mapPixels(image, (data, offset) => (data[offset]! >= threshold ? 255 : 0))
}

/** Sets all three colours of every pixel to one value, eight bits deep. */
async function mapPixels(image: Sharp, value: (data: Buffer, offset: number) => number): Promise<Sharp> {
  const { hasAlpha } = await image.metadata()
  const raw = await readRgba(image)
  for (let offset = 0; offset < raw.data.length; offset += 4)
    raw.data.fill(Math.round(value(raw.data, offset)), offset, offset + 3)
  return hasAlpha ? openRgba(raw) : openRgba(raw).removeAlpha()
}

/** Floyd-Steinberg dithering: the error of each pixel is distributed to its unprocessed neighbours. */
async function dither(image: Sharp, threshold: number): Promise<Sharp> {
  const { hasAlpha } = await image.metadata()
  const { data, width, height } = await readRgba(image)
  const errors = [new Float32Array(width + 2), new Float32Array(width + 2)] as const
  for (let y = 0; y < height; y++) {
    const [rowErrors, nextRowErrors] = y % 2 === 0 ? errors : ([errors[1], errors[0]] as const)
    nextRowErrors.fill(0)
    for (let x = 0; x < width; x++) {
      const offset = (y * width + x) * 4
      const target = data[offset]! + rowErrors[x + 1]!
      const output = target >= threshold ? 255 : 0
      const error = (target - output) / 16
      rowErrors[x + 2]! += error * 7
      nextRowErrors[x]! += error * 3
      nextRowErrors[x + 1]! += error * 5
      nextRowErrors[x + 2]! += error
      data.fill(output, offset, offset + 3)
    }
  }
  const result = sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: false })
  return hasAlpha ? result : result.removeAlpha()
}

import sharp, { type Sharp } from 'sharp'
import { colorOf, type EncodedImage, type OutputOptions } from './sharp-output.ts'
import { type Canvas, paint, rawImage, rawOf } from './sharp-paint.ts'

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

/** Levels first, then tone, then colour, then tint; transparency stays as it is. */
export function adjust([file]: string[], options: AdjustOptions, seconds: number): Promise<EncodedImage> {
  return paint(
    file!,
    options,
    seconds,
    () => (image, canvas) =>
      onColors(image, canvas, async solid => {
        const toned = tone(await canvas.settle(levels(solid, canvas, options)), canvas, options)
        const colored = color(await canvas.settle(toned), options)
        const tinted = await canvas.settle(colored)
        return options.tint === undefined ? tinted : tinted.tint(colorOf('tint', options.tint))
      }),
  )
}

/** Changes the colours and gives the transparency back untouched. */
async function onColors(
  image: Sharp,
  canvas: Canvas,
  change: (solid: Sharp) => Promise<Sharp> | Sharp,
): Promise<Sharp> {
  const whole = await canvas.settle(image)
  const { hasAlpha } = await whole.metadata()
  if (!hasAlpha) return change(whole)
  const alpha = await whole.clone().extractChannel(3).png({ compressionLevel: 0 }).toBuffer()
  const changed = await canvas.settle(await change(await canvas.settle(whole.removeAlpha())))
  return changed.joinChannel(alpha)
}

function levels(image: Sharp, { width, height }: Canvas, { normalize, clahe }: AdjustOptions): Sharp {
  if (normalize) image.normalise()
  if (clahe) {
    const tile = { width: Math.min(clahe.tile, width), height: Math.min(clahe.tile, height) }
    image.clahe({ ...tile, maxSlope: clahe.maxSlope })
  }
  return image
}

function tone(image: Sharp, { isDeep }: Canvas, { brightness, contrast, gamma }: AdjustOptions): Sharp {
  const middle = isDeep ? 32_768 : 128
  if (brightness !== 1 || contrast !== 1) image.linear(brightness * contrast, brightness * middle * (1 - contrast))
  if (gamma !== undefined) image.gamma(1, gamma)
  return image
}

type Row = [number, number, number]
type Matrix = [Row, Row, Row]

const SEPIA: Matrix = [
  [0.393, 0.769, 0.189],
  [0.349, 0.686, 0.168],
  [0.272, 0.534, 0.131],
]

function color(image: Sharp, { saturation, hue, temperature, negate, sepia }: AdjustOptions): Sharp {
  if (saturation !== 1 || hue !== 0) image.modulate({ saturation, hue: ((hue % 360) + 360) % 360 })
  const warm = temperature / 400
  if (temperature !== 0 || sepia !== 0) {
    const mixed = SEPIA.map((row, at) => row.map((share, column) => share * sepia + (at === column ? 1 - sepia : 0)))
    const gains = [1 + warm, 1, 1 - warm]
    image.recomb(mixed.map((row, at) => row.map(share => share * gains[at]!)) as Matrix)
  }
  if (negate) image.negate({ alpha: false })
  return image
}

export interface GrayscaleOptions extends OutputOptions {
  method: 'luma' | 'average' | 'lightness'
  /** Everything as bright becomes white, the rest black. */
  threshold?: number
  dither: boolean
  contrast: number
}

const third = 1 / 3
const WEIGHTS: Record<'luma' | 'average', Row> = {
  luma: [0.2126, 0.7152, 0.0722],
  average: [third, third, third],
}

export function grayscale([file]: string[], options: GrayscaleOptions, seconds: number): Promise<EncodedImage> {
  const isBinary = options.threshold !== undefined || options.dither
  const encoder = isBinary ? { bitDepth: 1 as const } : {}
  const encoding = { ...options, grey: true, encoder }
  return paint(file!, encoding, seconds, () => {
    return async (image, canvas) => {
      const grey = contrasted(await greyOf(image, canvas, options), canvas, options.contrast)
      if (options.dither) return dithered(await canvas.settle(grey), options.threshold ?? 128)
      return options.threshold === undefined ? grey : binary(await canvas.settle(grey), options.threshold)
    }
  })
}

function contrasted(image: Sharp, { isDeep }: Canvas, contrast: number): Sharp {
  return contrast === 1 ? image : image.linear(contrast, (isDeep ? 32_768 : 128) * (1 - contrast))
}

async function greyOf(image: Sharp, canvas: Canvas, { method }: GrayscaleOptions): Promise<Sharp> {
  if (method !== 'lightness') {
    const row = WEIGHTS[method]
    return canvas.settle(await onColors(image, canvas, solid => solid.recomb([row, row, row])))
  }
  return onPixels(
    await canvas.settle(image),
    (data, at) => (Math.max(...rgbAt(data, at)) + Math.min(...rgbAt(data, at))) / 2,
  )
}

function rgbAt(data: Buffer, at: number): Row {
  return [data[at]!, data[at + 1]!, data[at + 2]!]
}

function binary(image: Sharp, threshold: number): Promise<Sharp> {
  return onPixels(image, (data, at) => (data[at]! >= threshold ? 255 : 0))
}

/** One value for the three colours of every pixel, eight bits deep. */
async function onPixels(image: Sharp, value: (data: Buffer, at: number) => number): Promise<Sharp> {
  const { hasAlpha } = await image.metadata()
  const raw = await rawOf(image)
  for (let at = 0; at < raw.data.length; at += 4) raw.data.fill(Math.round(value(raw.data, at)), at, at + 3)
  return hasAlpha ? rawImage(raw) : rawImage(raw).removeAlpha()
}

/** Floyd and Steinberg's way: what a pixel is too bright goes to those that come after it. */
async function dithered(image: Sharp, threshold: number): Promise<Sharp> {
  const { hasAlpha } = await image.metadata()
  const { data, width, height } = await rawOf(image)
  const errors = [new Float32Array(width + 2), new Float32Array(width + 2)] as const
  for (let y = 0; y < height; y++) {
    const [here, below] = y % 2 === 0 ? errors : ([errors[1], errors[0]] as const)
    below.fill(0)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4
      const wanted = data[at]! + here[x + 1]!
      const made = wanted >= threshold ? 255 : 0
      const error = (wanted - made) / 16
      here[x + 2]! += error * 7
      below[x]! += error * 3
      below[x + 1]! += error * 5
      below[x + 2]! += error
      data.fill(made, at, at + 3)
    }
  }
  const made = sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: false })
  return hasAlpha ? made : made.removeAlpha()
}

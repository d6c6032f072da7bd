import type { Color, Sharp } from 'sharp'
import { Problem } from '#kit'
import type { Region, Size } from '../../../../tasks/formats/geometry/region.ts'
import { checkDimensions, type ImageResult, type OutputOptions, parseColor } from '../output.ts'
import { MAX_PIXELS } from '../source.ts'
import { widenBackground } from './background.ts'
import { type Canvas, type Painter, paint } from './draw.ts'

export interface RotateOptions extends Omit<OutputOptions, 'background'> {
  degrees: number
  flip: boolean
  flop: boolean
  /** Default: transparent if the output format supports it, else white. */
  background?: string
  crop: 'none' | 'inner'
}

/** Rotates clockwise first, then mirrors. */
export function rotate([file]: string[], options: RotateOptions, seconds: number): Promise<ImageResult> {
  const encoding = { ...options, background: options.background ?? '#ffffff' }
  return paint(file!, encoding, seconds, ({ width, height }, format) => {
    const size = computeRotatedSize(width, height, options.degrees)
    checkDimensions(format, size.width, size.height, MAX_PIXELS)
    const background = parseColor('background', options.background ?? (format === 'jpeg' ? '#ffffff' : 'transparent'))
    return (image, canvas) => applyRotation(image, canvas, options, background)
  })
}

async function applyRotation(image: Sharp, canvas: Canvas, options: RotateOptions, background: Color): Promise<Sharp> {
  const { degrees, flip, flop, crop } = options
  const isRightAngle = degrees % 90 === 0
  const upright = await canvas.materialize(image)
  if (degrees % 360 !== 0) upright.rotate(degrees, isRightAngle ? undefined : { background })
  if (!isRightAngle) widenBackground(upright, 'rotation', canvas.is16Bit)
  const rotated = await canvas.materialize(upright)
  if (crop === 'inner' && !isRightAngle) {
    const outer = computeRotatedSize(canvas.width, canvas.height, degrees)
    const inner = computeInnerSize(canvas.width, canvas.height, degrees)
    const [left, top] = [outer.width - inner.width, outer.height - inner.height].map(free => Math.max(0, free >> 1))
    rotated.extract({ left: left!, top: top!, ...inner })
  }
  const cropped = await canvas.materialize(rotated)
  return cropped.flip(flip).flop(flop)
}

function computeRotatedSize(width: number, height: number, degrees: number): Size {
  const angle = (degrees * Math.PI) / 180
  const [sine, cosine] = [Math.abs(Math.sin(angle)), Math.abs(Math.cos(angle))]
  return {
    width: Math.max(1, Math.round(width * cosine + height * sine)),
    height: Math.max(1, Math.round(width * sine + height * cosine)),
  }
}

/** The largest axis-aligned rectangle inside a rotated one. */
function computeInnerSize(width: number, height: number, degrees: number): Size {
  const angle = (degrees * Math.PI) / 180
  const [sine, cosine] = [Math.abs(Math.sin(angle)), Math.abs(Math.cos(angle))]
  const [long, short] = [Math.max(width, height), Math.min(width, height)]
  const roundDownSide = (side: number) => Math.max(1, Math.floor(side) - 1)
  if (short <= 2 * sine * cosine * long || Math.abs(sine - cosine) < 1e-9) {
    const half = short / 2
    const [along, across] = [half / sine, half / cosine]
    return width >= height
      ? { width: roundDownSide(along), height: roundDownSide(across) }
      : { width: roundDownSide(across), height: roundDownSide(along) }
  }
  const doubleAngleCosine = cosine * cosine - sine * sine
  return {
    width: roundDownSide((width * cosine - height * sine) / doubleAngleCosine),
    height: roundDownSide((height * cosine - width * sine) / doubleAngleCosine),
  }
}

/** Pixels, or a percentage of a side such as `50%`. */
type Length = number | string

export interface RelativeRegion {
  x: Length
  y: Length
  width: Length
  height: Length
}

function toPixels(length: Length, side: number): number {
  return typeof length === 'number' ? Math.round(length) : Math.round((side * Number.parseFloat(length)) / 100)
}

/** Converts a region to pixels. A region that reaches outside is clipped with `clamp` and rejected without. */
export function resolveRegion(requested: RelativeRegion, size: Size, clamp: boolean): Region {
  const x = toPixels(requested.x, size.width)
  const y = toPixels(requested.y, size.height)
  const width = toPixels(requested.width, size.width)
  const height = toPixels(requested.height, size.height)
  const [left, top] = [Math.max(0, x), Math.max(0, y)]
  const inside = {
    x: left,
    y: top,
    width: Math.min(size.width, x + width) - left,
    height: Math.min(size.height, y + height) - top,
  }
  const isEmpty = inside.width < 1 || inside.height < 1
  const isCut = inside.x !== x || inside.y !== y || inside.width !== width || inside.height !== height
  if (isEmpty || (isCut && !clamp))
    throw new Problem('BAD_REGION', { region: { x, y, width, height }, width: size.width, height: size.height })
  return inside
}

export function extractRegion({ x, y, width, height }: Region): Painter {
  return async (image, { materialize }) => (await materialize(image)).extract({ left: x, top: y, width, height })
}

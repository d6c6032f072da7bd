import type { Color, Sharp } from 'sharp'
import { Problem } from '#kit'
import { checkSide, colorOf, type EncodedImage, type OutputOptions } from './sharp-output.ts'
import { type Canvas, type Painter, paint } from './sharp-paint.ts'
import { MOST_PIXELS } from './sharp-source.ts'

export interface RotateOptions extends Omit<OutputOptions, 'background'> {
  degrees: number
  flip: boolean
  flop: boolean
  /** Left out: transparent where the output can be, else white. */
  background?: string
  crop: 'none' | 'inner'
}

/** Turned clockwise first, then mirrored. */
export function rotate([file]: string[], options: RotateOptions, seconds: number): Promise<EncodedImage> {
  const encoding = { ...options, background: options.background ?? '#ffffff' }
  return paint(file!, encoding, seconds, ({ width, height }, format) => {
    const size = turnedSize(width, height, options.degrees)
    checkSide(format, size.width, size.height, MOST_PIXELS)
    const background = colorOf('background', options.background ?? (format === 'jpeg' ? '#ffffff' : 'transparent'))
    return (image, canvas) => turned(image, canvas, options, background)
  })
}

async function turned(image: Sharp, canvas: Canvas, options: RotateOptions, background: Color): Promise<Sharp> {
  const { degrees, flip, flop, crop } = options
  const isRight = degrees % 90 === 0
  const upright = await canvas.settle(image)
  if (degrees % 360 !== 0) upright.rotate(degrees, isRight ? undefined : { background })
  const whole = await canvas.settle(upright)
  if (crop === 'inner' && !isRight) {
    const outer = turnedSize(canvas.width, canvas.height, degrees)
    const inner = innerSize(canvas.width, canvas.height, degrees)
    const [left, top] = [outer.width - inner.width, outer.height - inner.height].map(rest => Math.max(0, rest >> 1))
    whole.extract({ left: left!, top: top!, ...inner })
  }
  const cut = await canvas.settle(whole)
  return cut.flip(flip).flop(flop)
}

function turnedSize(width: number, height: number, degrees: number): { width: number; height: number } {
  const angle = (degrees * Math.PI) / 180
  const [sine, cosine] = [Math.abs(Math.sin(angle)), Math.abs(Math.cos(angle))]
  return {
    width: Math.max(1, Math.round(width * cosine + height * sine)),
    height: Math.max(1, Math.round(width * sine + height * cosine)),
  }
}

/** The largest upright rectangle inside a turned one. */
function innerSize(width: number, height: number, degrees: number): { width: number; height: number } {
  const angle = (degrees * Math.PI) / 180
  const [sine, cosine] = [Math.abs(Math.sin(angle)), Math.abs(Math.cos(angle))]
  const [long, short] = [Math.max(width, height), Math.min(width, height)]
  const whole = (side: number) => Math.max(1, Math.floor(side) - 1)
  if (short <= 2 * sine * cosine * long || Math.abs(sine - cosine) < 1e-9) {
    const half = short / 2
    const [along, across] = [half / sine, half / cosine]
    return width >= height
      ? { width: whole(along), height: whole(across) }
      : { width: whole(across), height: whole(along) }
  }
  const double = cosine * cosine - sine * sine
  return {
    width: whole((width * cosine - height * sine) / double),
    height: whole((height * cosine - width * sine) / double),
  }
}

export interface Region {
  x: number
  y: number
  width: number
  height: number
}

/** Pixels, or a share of a side such as `50%`. */
export type Length = number | string

export function pixelsOf(length: Length, side: number): number {
  return typeof length === 'number' ? Math.round(length) : Math.round((side * Number.parseFloat(length)) / 100)
}

/** A region as asked for, in pixels; one that is not inside is refused, or cut where that is allowed. */
export function regionOf(
  asked: { x: Length; y: Length; width: Length; height: Length },
  size: { width: number; height: number },
  clamp: boolean,
): Region {
  const x = pixelsOf(asked.x, size.width)
  const y = pixelsOf(asked.y, size.height)
  const width = pixelsOf(asked.width, size.width)
  const height = pixelsOf(asked.height, size.height)
  const [left, top] = [Math.max(0, x), Math.max(0, y)]
  const inside = {
    x: left,
    y: top,
    width: Math.min(size.width, x + width) - left,
    height: Math.min(size.height, y + height) - top,
  }
  const isEmpty = inside.width < 1 || inside.height < 1
  const isCut = inside.x !== x || inside.y !== y || inside.width !== width || inside.height !== height
  if (isEmpty || (isCut && !clamp)) throw new Problem('BAD_REGION', { region: { x, y, width, height }, ...size })
  return inside
}

export function cutOut({ x, y, width, height }: Region): Painter {
  return async (image, { settle }) => (await settle(image)).extract({ left: x, top: y, width, height })
}

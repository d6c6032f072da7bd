import sharp, { type Color, type Sharp } from 'sharp'
import { Problem } from '#kit'
import { placeOf } from './sharp-crop.ts'
import { cutOut } from './sharp-geometry.ts'
import { checkSide, colorOf, type EncodedImage, type OutputOptions, staysAnimated } from './sharp-output.ts'
import { framesOf, paint, rawOf } from './sharp-paint.ts'
import { type ImageSource, MOST_PIXELS, openImage } from './sharp-source.ts'

export interface Borders {
  top: number
  right: number
  bottom: number
  left: number
}

export interface ExtendOptions extends OutputOptions {
  borders?: Borders
  to?: { width: number; height: number }
  aspect?: string
  gravity: string
  fill: 'color' | 'copy' | 'mirror' | 'repeat' | 'blur'
}

const WAYS = { color: 'background', copy: 'copy', mirror: 'mirror', repeat: 'repeat', blur: 'background' } as const

export function extend([file]: string[], options: ExtendOptions, seconds: number): Promise<EncodedImage> {
  return paint(file!, options, seconds, (source, format) => {
    const borders = bordersOf(source, options)
    const width = source.width + borders.left + borders.right
    const height = source.height + borders.top + borders.bottom
    checkSide(format, width, height * (staysAnimated(source, options) ? source.frames : 1), MOST_PIXELS * 2)
    checkSide(format, width, height, MOST_PIXELS)
    const background = colorOf('background', options.background)
    return async (image, { settle }) => {
      const still = await settle(image)
      if (options.fill === 'blur') return (await settle(await onBlur(still, borders, { width, height }))).removeAlpha()
      return still.extend({ ...borders, extendWith: WAYS[options.fill], background })
    }
  })
}

function bordersOf(source: ImageSource, { borders, to, aspect, gravity }: ExtendOptions): Borders {
  if (borders) return borders
  const size = to ?? grownTo(source, aspect!)
  const rest = { x: size.width - source.width, y: size.height - source.height }
  if (rest.x < 0 || rest.y < 0)
    throw new Problem('INVALID_PARAM', { field: 'to', min: { width: source.width, height: source.height } })
  const { x, y } = placeOf(gravity, rest)
  return { left: x, right: rest.x - x, top: y, bottom: rest.y - y }
}

function grownTo(source: ImageSource, aspect: string): { width: number; height: number } {
  const [across = 1, down = 1] = aspect.split(':').map(Number)
  const scale = Math.max(source.width / across, source.height / down)
  return {
    width: Math.max(source.width, Math.round(across * scale)),
    height: Math.max(source.height, Math.round(down * scale)),
  }
}

/** A blurred copy that covers the whole, behind the picture. */
async function onBlur(still: Sharp, borders: Borders, size: { width: number; height: number }): Promise<Sharp> {
  const input = await still.png({ compressionLevel: 0 }).toBuffer()
  const sigma = Math.min(100, Math.max(1, Math.max(size.width, size.height) / 40))
  const behind = await sharp(input, { limitInputPixels: false })
    .flatten({ background: '#ffffff' })
    .resize({ ...size, fit: 'cover' })
    .blur(sigma)
    .png({ compressionLevel: 0 })
    .toBuffer()
  return sharp(behind, { limitInputPixels: false }).composite([{ input, left: borders.left, top: borders.top }])
}

export interface TrimOptions extends OutputOptions {
  threshold: number
  color: string
  padding: number
  sides: ('top' | 'right' | 'bottom' | 'left')[]
  symmetric: boolean
}

export interface TrimmedImage extends EncodedImage {
  trimmed: Borders
}

export async function trim([file]: string[], options: TrimOptions, seconds: number): Promise<TrimmedImage> {
  let trimmed: Borders = { top: 0, right: 0, bottom: 0, left: 0 }
  const made = await paint(file!, options, seconds, async source => {
    trimmed = chosen(await emptyBorders(source, options), options)
    const width = source.width - trimmed.left - trimmed.right
    const height = source.height - trimmed.top - trimmed.bottom
    return cutOut({ x: trimmed.left, y: trimmed.top, width, height })
  })
  const isWhole = Object.values(trimmed).every(side => side === 0)
  const warning = { code: 'NOTHING_TO_TRIM', message: 'There is no border of one colour, or nothing but one.' }
  return { ...made, trimmed, warnings: isWhole ? [...made.warnings, warning] : made.warnings }
}

function chosen(found: Borders, { sides, symmetric, padding }: TrimOptions): Borders {
  const keep = (side: keyof Borders) => (sides.includes(side) ? Math.max(0, found[side] - padding) : 0)
  const borders = { top: keep('top'), right: keep('right'), bottom: keep('bottom'), left: keep('left') }
  if (!symmetric) return borders
  const [high, wide] = [Math.min(borders.top, borders.bottom), Math.min(borders.left, borders.right)]
  return { top: high, bottom: high, left: wide, right: wide }
}

/** What is empty in every frame alike; nothing where all is empty. */
async function emptyBorders(source: ImageSource, options: TrimOptions): Promise<Borders> {
  const page = options.page === undefined ? undefined : options.page - 1
  const images = staysAnimated(source, options)
    ? (await framesOf(source, options)).images
    : [openImage(source, { page, tolerant: options.tolerant })]
  const color = options.color === 'auto' ? undefined : await rgbaOf(options.color)
  const found: Borders[] = []
  for (const image of images) {
    const borders = emptyAround(await rawOf(image), options.threshold, color)
    if (borders) found.push(borders)
  }
  if (found.length === 0) return { top: 0, right: 0, bottom: 0, left: 0 }
  const least = (side: keyof Borders) => Math.min(...found.map(borders => borders[side]))
  return { top: least('top'), right: least('right'), bottom: least('bottom'), left: least('left') }
}

async function rgbaOf(text: string): Promise<Buffer> {
  const background: Color = colorOf('color', text)
  return sharp({ create: { width: 1, height: 1, channels: 4, background } })
    .raw()
    .toBuffer()
}

interface Raw {
  data: Buffer
  width: number
  height: number
}

/** Lines from each side that differ nowhere from the colour of the corner; nothing where no line differs. */
function emptyAround(
  { data, width, height }: Raw,
  threshold: number,
  color = data.subarray(0, 4),
): Borders | undefined {
  const isClear = color[3]! <= threshold
  const differs = (x: number, y: number) => {
    const at = (y * width + x) * 4
    const alpha = data[at + 3]!
    if (isClear) return alpha > threshold
    if (Math.abs(alpha - color[3]!) > threshold) return true
    return [0, 1, 2].some(channel => Math.abs(data[at + channel]! - color[channel]!) > threshold)
  }
  const rowDiffers = (y: number) => someUpTo(width, x => differs(x, y))
  const top = firstUpTo(height, rowDiffers)
  if (top === height) return undefined
  const bottom = firstUpTo(height, step => rowDiffers(height - 1 - step))
  const columnDiffers = (x: number) => someUpTo(height - top - bottom, y => differs(x, top + y))
  const left = firstUpTo(width, columnDiffers)
  const right = firstUpTo(width, step => columnDiffers(width - 1 - step))
  return { top, right, bottom, left }
}

function firstUpTo(count: number, test: (step: number) => boolean): number {
  for (let step = 0; step < count; step++) if (test(step)) return step
  return count
}

function someUpTo(count: number, test: (step: number) => boolean): boolean {
  return firstUpTo(count, test) < count
}

import { Problem } from '#kit'
import { cutOut, type Length, type Region, regionOf } from './sharp-geometry.ts'
import type { EncodedImage, OutputOptions } from './sharp-output.ts'
import { paint } from './sharp-paint.ts'
import { salientCorner } from './sharp-salience.ts'
import type { ImageSource } from './sharp-source.ts'

export interface CropOptions extends OutputOptions {
  rect?: { x: Length; y: Length; width: Length; height: Length }
  width?: number
  height?: number
  /** Such as `16:9`. */
  aspect?: string
  /** A side or corner, or what draws the eye. */
  gravity: string
  /** Shares of the picture. */
  focus?: { x: number; y: number }
  clamp: boolean
}

export interface CroppedImage extends EncodedImage {
  crop: Region
}

export async function crop([file]: string[], options: CropOptions, seconds: number): Promise<CroppedImage> {
  let region: Region | undefined
  const made = await paint(file!, options, seconds, async source => {
    region = await cropOf(source, options)
    return cutOut(region)
  })
  return { ...made, crop: region! }
}

async function cropOf(source: ImageSource, options: CropOptions): Promise<Region> {
  if (options.rect) return regionOf(options.rect, source, options.clamp)
  const window = windowOf(source, options)
  const { x, y } = await cornerOf(source, window, options)
  return { x, y, ...window }
}

function windowOf(
  source: ImageSource,
  { width, height, aspect, clamp }: CropOptions,
): { width: number; height: number } {
  if (aspect !== undefined) return largestOf(source, aspect)
  const wanted = { width: width!, height: height! }
  const inside = { width: Math.min(source.width, wanted.width), height: Math.min(source.height, wanted.height) }
  const fits = inside.width === wanted.width && inside.height === wanted.height
  if (!fits && !clamp) throw new Problem('BAD_REGION', { region: wanted, width: source.width, height: source.height })
  return inside
}

function largestOf(source: ImageSource, aspect: string): { width: number; height: number } {
  const [across = 1, down = 1] = aspect.split(':').map(Number)
  const scale = Math.min(source.width / across, source.height / down)
  const side = (share: number, most: number) => Math.min(most, Math.max(1, Math.round(share * scale)))
  return { width: side(across, source.width), height: side(down, source.height) }
}

function cornerOf(
  source: ImageSource,
  window: { width: number; height: number },
  options: CropOptions,
): Promise<{ x: number; y: number }> | { x: number; y: number } {
  const { focus, gravity } = options
  const rest = { x: source.width - window.width, y: source.height - window.height }
  if (focus) {
    const around = (share: number, side: number, kept: number, most: number) =>
      Math.round(Math.min(most, Math.max(0, side * share - kept / 2)))
    return {
      x: around(focus.x, source.width, window.width, rest.x),
      y: around(focus.y, source.height, window.height, rest.y),
    }
  }
  if (gravity === 'attention' || gravity === 'entropy') return salientCorner(source, window, gravity, options)
  return placeOf(gravity, rest)
}

/** How the room that is left is shared out on both sides. */
export function placeOf(gravity: string, rest: { x: number; y: number }): { x: number; y: number } {
  const share = (before: string, after: string) => (gravity.includes(before) ? 0 : gravity.includes(after) ? 1 : 0.5)
  return { x: Math.floor(rest.x * share('west', 'east')), y: Math.floor(rest.y * share('north', 'south')) }
}

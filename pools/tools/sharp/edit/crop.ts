import { Problem } from '#kit'
import type { Point, Region, Size } from '../../../../tasks/formats/geometry/region.ts'
import { findSalientWindow } from '../analyse/salience.ts'
import type { ImageResult, OutputOptions } from '../output.ts'
import type { ImageSource } from '../source.ts'
import { paint } from './draw.ts'
import { extractRegion, type RelativeRegion, resolveRegion } from './geometry.ts'

export interface CropOptions extends OutputOptions {
  rect?: RelativeRegion
  width?: number
  height?: number
  /** Such as `16:9`. */
  aspect?: string
  /** A side, a corner, or a strategy: `attention` or `entropy`. */
  gravity: string
  /** Fractions of the image. */
  focus?: Point
  clamp: boolean
}

export interface CroppedImage extends ImageResult {
  crop: Region
}

export async function crop([file]: string[], options: CropOptions, seconds: number): Promise<CroppedImage> {
  let region: Region | undefined
  const encoded = await paint(file!, options, seconds, async source => {
    region = await resolveCrop(source, options)
    return extractRegion(region)
  })
  return { ...encoded, crop: region! }
}

async function resolveCrop(source: ImageSource, options: CropOptions): Promise<Region> {
  if (options.rect) return resolveRegion(options.rect, source, options.clamp)
  const window = resolveWindow(source, options)
  const { x, y } = await locateWindow(source, window, options)
  return { x, y, ...window }
}

function resolveWindow(source: ImageSource, { width, height, aspect, clamp }: CropOptions): Size {
  if (aspect !== undefined) return fitAspect(source, aspect)
  const requested = { width: width!, height: height! }
  const inside = { width: Math.min(source.width, requested.width), height: Math.min(source.height, requested.height) }
  const fits = inside.width === requested.width && inside.height === requested.height
  if (!fits && !clamp)
    throw new Problem('BAD_REGION', { region: requested, width: source.width, height: source.height })
  return inside
}

function fitAspect(source: ImageSource, aspect: string): Size {
  const [ratioWidth = 1, ratioHeight = 1] = aspect.split(':').map(Number)
  const scale = Math.min(source.width / ratioWidth, source.height / ratioHeight)
  const side = (ratio: number, max: number) => Math.min(max, Math.max(1, Math.round(ratio * scale)))
  return { width: side(ratioWidth, source.width), height: side(ratioHeight, source.height) }
}

function locateWindow(source: ImageSource, window: Size, options: CropOptions): Promise<Point> | Point {
  const { focus, gravity } = options
  const free = { x: source.width - window.width, y: source.height - window.height }
  if (focus) {
    const centerOn = (fraction: number, length: number, windowLength: number, max: number) =>
      Math.round(Math.min(max, Math.max(0, length * fraction - windowLength / 2)))
    return {
      x: centerOn(focus.x, source.width, window.width, free.x),
      y: centerOn(focus.y, source.height, window.height, free.y),
    }
  }
  if (gravity === 'attention' || gravity === 'entropy') return findSalientWindow(source, window, gravity, options)
  return alignByGravity(gravity, free)
}

/** Splits the free space between the two sides; returns the offset of the content. */
export function alignByGravity(gravity: string, free: Point): Point {
  const fraction = (startSide: string, endSide: string) =>
    gravity.includes(startSide) ? 0 : gravity.includes(endSide) ? 1 : 0.5
  return { x: Math.floor(free.x * fraction('west', 'east')), y: Math.floor(free.y * fraction('north', 'south')) }
}

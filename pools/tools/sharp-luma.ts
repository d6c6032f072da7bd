import { Problem } from '#kit'
import type { OutputOptions } from './sharp-output.ts'
import { pageIndex } from './sharp-output.ts'
import { asProblem, openImage, sourceOf } from './sharp-source.ts'

const MOST_PIXELS = 50_000_000

export interface LumaImage {
  bytes?: Uint8Array
  path?: string
  width: number
  height: number
}

/** The brightness of every pixel, upright, on white where the picture is transparent. */
export async function luma([file]: string[], options: OutputOptions, seconds: number): Promise<LumaImage> {
  try {
    const source = await sourceOf(file!)
    const pixels = source.width * source.height
    if (pixels > MOST_PIXELS) throw new Problem('TOO_MANY_PIXELS', { limit: MOST_PIXELS, actual: pixels })
    const image = openImage(source, { page: pageIndex(source, options), tolerant: options.tolerant })
    image.timeout({ seconds: Math.max(1, Math.floor(seconds)) })
    const { data, info } = await image
      .flatten({ background: '#ffffff' })
      .toColourspace('b-w')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    return { bytes: data, width: info.width, height: info.height }
  } catch (error) {
    throw asProblem(error)
  }
}

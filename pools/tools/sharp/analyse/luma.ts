import { type FileContent, Problem } from '#kit'
import type { Size } from '../../../../tasks/formats/geometry/region.ts'
import { type OutputOptions, resolvePageIndex } from '../output.ts'
import { openImage, readSource, toProblem } from '../source.ts'

const MAX_PIXELS = 50_000_000

export interface LumaImage extends FileContent, Size {}

/** The brightness of every pixel as one byte, in display orientation, with transparency on white. */
export async function extractLuma([file]: string[], options: OutputOptions, seconds: number): Promise<LumaImage> {
  try {
    const source = await readSource(file!)
    const pixels = source.width * source.height
    if (pixels > MAX_PIXELS) throw new Problem('TOO_MANY_PIXELS', { limit: MAX_PIXELS, actual: pixels })
    const image = openImage(source, { page: resolvePageIndex(source, options), tolerant: options.tolerant })
    image.timeout({ seconds: Math.max(1, Math.floor(seconds)) })
    const { data, info } = await image
      .flatten({ background: '#ffffff' })
      .toColourspace('b-w')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    return { bytes: data, width: info.width, height: info.height }
  } catch (error) {
    throw toProblem(error)
  }
}

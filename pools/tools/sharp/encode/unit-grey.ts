import sharp, { type Metadata } from 'sharp'

const MAX_PIXELS = 100_000_000
/** Of samples up to 255 no real image stays below this; some that end at 1 go a little beyond. */
const MAX_UNIT_SAMPLE = 2
export const WHITE = 255

interface Source {
  file: string
  format: string
  width: number
  height: number
  metadata: Metadata
}

/**
 * TIFF stores fractional shades of grey from 0 to 1, or from 0 to 255 as libvips takes all of them to be. Returns an
 * image from 0 to 255 of one that would be black otherwise.
 */
export async function readUnitGrey({ file, format, width, height, metadata }: Source): Promise<Buffer | undefined> {
  const isFractional = format === 'tiff' && metadata.space === 'b-w' && metadata.depth === 'float'
  if (!isFractional || width * height > MAX_PIXELS) return undefined
  try {
    const { channels } = await sharp(file, { failOn: 'none' }).stats()
    if (channels[0]!.max > MAX_UNIT_SAMPLE) return undefined
    return await sharp(file, { failOn: 'none' })
      .linear(WHITE, 0)
      .keepMetadata()
      .tiff({ compression: 'none' })
      .toBuffer()
  } catch {
    // Who opens the file reports what is wrong with it.
    return undefined
  }
}

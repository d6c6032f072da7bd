import sharp, { type Metadata } from 'sharp'

interface Source {
  file: string
  /** Of the first page. */
  metadata: Metadata
}

export interface DeepColor {
  /** From 0. */
  page: number
  bytes: Buffer
}

const MAX_PIXELS = 100_000_000

/**
 * Colours of 16 bits with a profile are brought to Display P3 by sharp, and written as if they were sRGB. Returns the same
 * page in sRGB, without a profile, of such an image.
 */
export async function readDeepColor({ file, metadata }: Source, page: number): Promise<DeepColor | undefined> {
  try {
    // Each page of a TIFF has a size, a depth and a profile of its own.
    const { width, height, space, hasProfile } = page === 0 ? metadata : await sharp(file, { page }).metadata()
    if (space !== 'rgb16' || !hasProfile || width * height > MAX_PIXELS) return undefined
    const image = sharp(file, { page, limitInputPixels: MAX_PIXELS }).keepExif().keepXmp()
    const bytes = await image
      .withIccProfile('srgb', { attach: false })
      .toColourspace('rgb16')
      .tiff({ compression: 'none' })
      .toBuffer()
    return { page, bytes }
  } catch {
    // Who opens the file reports what is wrong with it.
    return undefined
  }
}

import sharp, { type Metadata } from 'sharp'

interface Source {
  file: string
  width: number
  height: number
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
export async function readDeepColor(
  { file, width, height, metadata: { space, hasProfile } }: Source,
  page: number,
): Promise<DeepColor | undefined> {
  if (space !== 'rgb16' || !hasProfile || width * height > MAX_PIXELS) return undefined
  try {
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

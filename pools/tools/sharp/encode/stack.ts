import sharp from 'sharp'

export interface StackOptions {
  format: 'png' | 'jpeg' | 'webp'
  quality: number
}

/** Joins the parts of an image from top to bottom. sharp pads all parts to the height of the tallest; that is cut off. */
export async function stackVertically(
  files: string[],
  { format, quality }: StackOptions,
): Promise<{ bytes: Uint8Array }> {
  const sizes = await Promise.all(files.map(file => sharp(file).metadata()))
  const { width } = sizes[0]!
  const height = sizes.reduce((sum, size) => sum + size.height, 0)
  const joined = sharp(files, { join: { across: 1 } }).extract({ left: 0, top: 0, width, height })
  const encoded = format === 'png' ? joined.png() : joined.toFormat(format, { quality })
  return { bytes: await encoded.toBuffer() }
}

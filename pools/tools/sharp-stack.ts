import sharp from 'sharp'

export interface StackOptions {
  format: 'png' | 'jpeg' | 'webp'
  quality: number
}

/** Joins parts of one picture from top to bottom. */
export async function stack(files: string[], { format, quality }: StackOptions): Promise<{ bytes: Uint8Array }> {
  const joined = sharp(files, { join: { across: 1 } })
  const encoded = format === 'png' ? joined.png() : joined.toFormat(format, { quality })
  return { bytes: await encoded.toBuffer() }
}

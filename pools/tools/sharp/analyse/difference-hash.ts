import { type ImageSource, openImage } from '../source.ts'

/** A difference hash: one bit for each pair of neighbours in a 9 x 8 grey copy. Similar images differ in few bits. */
export async function computeDifferenceHash(source: ImageSource, tolerant = false): Promise<string> {
  const grey = await openImage(source, { tolerant })
    .flatten({ background: '#ffffff' })
    .resize(9, 8, { fit: 'fill' })
    .toColourspace('b-w')
    .raw({ depth: 'uchar' })
    .toBuffer()
  let bits = 0n
  for (let row = 0; row < 8; row++) {
    for (let column = 0; column < 8; column++) {
      const index = row * 9 + column
      bits = (bits << 1n) | (grey[index]! > grey[index + 1]! ? 1n : 0n)
    }
  }
  return bits.toString(16).padStart(16, '0')
}

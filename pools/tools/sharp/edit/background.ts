import type { Sharp } from 'sharp'

/**
 * sharp takes a background as bytes, and for 16 bits a channel multiplies each by 256, so that white is a light grey.
 * Widened past the limit of its own check, 255 becomes 65535.
 */
export function widenBackground(image: Sharp, step: 'extend' | 'resize' | 'rotation', is16Bit: boolean): Sharp {
  if (!is16Bit) return image
  const { options } = image as unknown as { options: Record<string, number[]> }
  const field = `${step}Background`
  options[field] = options[field]!.map(value => (value * 65_535) / 65_280)
  return image
}

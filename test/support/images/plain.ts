import sharp from 'sharp'

interface Spot {
  color: string
  left: number
  top: number
}

/** A black image with coloured squares of 16 pixels, as PNG. */
export function drawSpots(width: number, height: number, spots: readonly Spot[]): Promise<Buffer> {
  const create = (color: string, sides: { width: number; height: number }) => ({
    create: { ...sides, channels: 3 as const, background: color },
  })
  const layers = spots.map(({ color, left, top }) => ({ input: create(color, { width: 16, height: 16 }), left, top }))
  return sharp(create('#000', { width, height })).composite(layers).png().toBuffer()
}

export function drawPlain(color: string, width = 200, height = 100): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: color } })
    .png()
    .toBuffer()
}

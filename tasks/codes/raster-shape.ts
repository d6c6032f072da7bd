import { crc32, deflateSync } from 'node:zlib'

export interface Rgba {
  r: number
  g: number
  b: number
  a: number
}

/** A picture of squares: each of `scale` pixels, `margin` squares of light around. */
export interface Drawing {
  width: number
  height: number
  /** Row by row; 1 is dark. */
  modules: Uint8Array
  scale: number
  margin: number
  dark: Rgba
  light: Rgba
}

export function sizeOf({ width, height, scale, margin }: Drawing) {
  return { width: (width + 2 * margin) * scale, height: (height + 2 * margin) * scale }
}

/** One bit a pixel, with a palette of two. */
export function pngOf(drawing: Drawing): Buffer {
  const { width, height } = sizeOf(drawing)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([1, 3, 0, 0, 0], 8)
  const { light, dark } = drawing
  const palette = Buffer.from([light.r, light.g, light.b, dark.r, dark.g, dark.b])
  const hasAlpha = light.a < 255 || dark.a < 255
  const stride = Math.ceil(width / 8) + 1
  const data = Buffer.alloc(stride * height)
  for (const [y, row] of bitRows(drawing).entries()) data.set(row, y * stride + 1)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', palette),
    ...(hasAlpha ? [chunk('tRNS', Buffer.from([light.a, dark.a]))] : []),
    chunk('IDAT', deflateSync(data)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(data.length, 0)
  whole.set(body, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}

/** Says in a PNG how dense it is to be printed. */
export function withDensity(png: Uint8Array, dpi: number): Buffer {
  const afterHead = 8 + 25
  const data = Buffer.alloc(9)
  const perMetre = Math.round(dpi / 0.0254)
  data.writeUInt32BE(perMetre, 0)
  data.writeUInt32BE(perMetre, 4)
  data[8] = 1
  return Buffer.concat([png.subarray(0, afterHead), chunk('pHYs', data), png.subarray(afterHead)])
}

/** The rows of the picture, eight pixels a byte, the leftmost in the highest bit. */
export function bitRows(drawing: Drawing): Uint8Array[] {
  const blank = new Uint8Array(Math.ceil(sizeOf(drawing).width / 8))
  const rows: Uint8Array[] = []
  for (let y = -drawing.margin; y < drawing.height + drawing.margin; y++) {
    const row = y < 0 || y >= drawing.height ? blank : bitRow(drawing, y, blank.length)
    for (let copy = 0; copy < drawing.scale; copy++) rows.push(row)
  }
  return rows
}

function bitRow({ width, modules, scale, margin }: Drawing, y: number, length: number): Uint8Array {
  const row = new Uint8Array(length)
  for (let x = 0; x < width; x++) {
    if (modules[y * width + x] !== 1) continue
    for (let at = (x + margin) * scale; at < (x + margin + 1) * scale; at++) row[at >> 3]! |= 0x80 >> (at & 7)
  }
  return row
}

/** The picture as brightness alone, on white where it is transparent: what a scanner would see. */
export function greyOf(drawing: Drawing): { grey: Uint8Array; width: number; height: number } {
  const { width, height } = sizeOf(drawing)
  const grey = new Uint8Array(width * height)
  const [light, dark] = [brightness(drawing.light), brightness(drawing.dark)]
  for (const [y, row] of bitRows(drawing).entries()) {
    for (let x = 0; x < width; x++) grey[y * width + x] = (row[x >> 3]! >> (7 - (x & 7))) & 1 ? dark : light
  }
  return { grey, width, height }
}

function brightness({ r, g, b, a }: Rgba): number {
  const on = (channel: number) => (channel * a + 255 * (255 - a)) / 255
  return Math.round(0.299 * on(r) + 0.587 * on(g) + 0.114 * on(b))
}

export function svgOf(drawing: Drawing): string {
  const { width, height } = sizeOf(drawing)
  const [across, down] = [width / drawing.scale, height / drawing.scale]
  const ground = drawing.light.a === 0 ? '' : `<path ${fillOf(drawing.light)} d="M0 0h${across}v${down}H0z"/>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${across} ${down}" ` +
    `shape-rendering="crispEdges">${ground}<path ${fillOf(drawing.dark)} d="${runsOf(drawing)}"/></svg>\n`
  )
}

function fillOf({ r, g, b, a }: Rgba): string {
  const opacity = a < 255 ? ` fill-opacity="${(a / 255).toFixed(3)}"` : ''
  return `fill="#${Buffer.from([r, g, b]).toString('hex')}"${opacity}`
}

/** Dark squares side by side as one bar. */
function runsOf({ width, height, modules, margin }: Drawing): string {
  const runs: string[] = []
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const start = x
      while (x < width && modules[y * width + x] === 1) x++
      if (x > start) runs.push(`M${start + margin} ${y + margin}h${x - start}v1h-${x - start}z`)
    }
  }
  return runs.join('')
}

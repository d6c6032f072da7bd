import { crc32, deflateSync } from 'node:zlib'
import type { GreyImage, ModuleMatrix } from './image.ts'

export interface Rgba {
  r: number
  g: number
  b: number
  a: number
}

/** An image of square modules, each `scale` pixels wide, with a quiet zone of `margin` modules. */
export interface ModuleImage extends ModuleMatrix {
  scale: number
  margin: number
  dark: Rgba
  light: Rgba
}

export function imageSize({ width, height, scale, margin }: ModuleImage) {
  return { width: (width + 2 * margin) * scale, height: (height + 2 * margin) * scale }
}

/** Encodes one bit per pixel, with a palette of two colours. */
export function encodePng(image: ModuleImage): Buffer {
  const { width, height } = imageSize(image)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([1, 3, 0, 0, 0], 8)
  const { light, dark } = image
  const palette = Buffer.from([light.r, light.g, light.b, dark.r, dark.g, dark.b])
  const hasAlpha = light.a < 255 || dark.a < 255
  const stride = Math.ceil(width / 8) + 1
  const data = Buffer.alloc(stride * height)
  for (const [y, row] of renderBitRows(image).entries()) data.set(row, y * stride + 1)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    buildChunk('IHDR', head),
    buildChunk('PLTE', palette),
    ...(hasAlpha ? [buildChunk('tRNS', Buffer.from([light.a, dark.a]))] : []),
    buildChunk('IDAT', deflateSync(data)),
    buildChunk('IEND', Buffer.alloc(0)),
  ])
}

export function buildChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(data.length, 0)
  whole.set(body, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}

/** Adds the print resolution to a PNG. */
export function setPngDensity(png: Uint8Array, dpi: number): Buffer {
  const afterHead = 8 + 25
  const data = Buffer.alloc(9)
  const perMetre = Math.round(dpi / 0.0254)
  data.writeUInt32BE(perMetre, 0)
  data.writeUInt32BE(perMetre, 4)
  data[8] = 1
  return Buffer.concat([png.subarray(0, afterHead), buildChunk('pHYs', data), png.subarray(afterHead)])
}

/** Renders the rows of the image, eight pixels per byte, the leftmost in the highest bit. */
export function renderBitRows(image: ModuleImage): Uint8Array[] {
  const blank = new Uint8Array(Math.ceil(imageSize(image).width / 8))
  const rows: Uint8Array[] = []
  for (let y = -image.margin; y < image.height + image.margin; y++) {
    const row = y < 0 || y >= image.height ? blank : renderBitRow(image, y, blank.length)
    for (let copy = 0; copy < image.scale; copy++) rows.push(row)
  }
  return rows
}

function renderBitRow({ width, modules, scale, margin }: ModuleImage, y: number, length: number): Uint8Array {
  const row = new Uint8Array(length)
  for (let x = 0; x < width; x++) {
    if (modules[y * width + x] !== 1) continue
    for (let at = (x + margin) * scale; at < (x + margin + 1) * scale; at++) row[at >> 3]! |= 0x80 >> (at & 7)
  }
  return row
}

/** Renders the image in shades of grey, on white where it is transparent, as a scanner would see it. */
export function renderGrey(image: ModuleImage): GreyImage {
  const { width, height } = imageSize(image)
  const grey = new Uint8Array(width * height)
  const [light, dark] = [brightness(image.light), brightness(image.dark)]
  for (const [y, row] of renderBitRows(image).entries()) {
    for (let x = 0; x < width; x++) grey[y * width + x] = (row[x >> 3]! >> (7 - (x & 7))) & 1 ? dark : light
  }
  return { grey, width, height }
}

function brightness({ r, g, b, a }: Rgba): number {
  const on = (channel: number) => (channel * a + 255 * (255 - a)) / 255
  return Math.round(0.299 * on(r) + 0.587 * on(g) + 0.114 * on(b))
}

export function encodeSvg(image: ModuleImage): string {
  const { width, height } = imageSize(image)
  const [across, down] = [width / image.scale, height / image.scale]
  const background = image.light.a === 0 ? '' : `<path ${fillAttributes(image.light)} d="M0 0h${across}v${down}H0z"/>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${across} ${down}" ` +
    `shape-rendering="crispEdges">${background}<path ${fillAttributes(image.dark)} d="${drawRuns(image)}"/></svg>\n`
  )
}

export function fillAttributes({ r, g, b, a }: Rgba): string {
  const opacity = a < 255 ? ` fill-opacity="${(a / 255).toFixed(3)}"` : ''
  return `fill="#${Buffer.from([r, g, b]).toString('hex')}"${opacity}`
}

/** Draws adjacent dark modules of a row as one bar. */
function drawRuns({ width, height, modules, margin }: ModuleImage): string {
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

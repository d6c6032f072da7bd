import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { freshFolder } from '../machine/folder.ts'

export const RED = '#ff0000'
export const GREEN = '#00ff00'
export const BLUE = '#0000ff'

export function createPlainImage(width: number, height: number, background: string = RED): Sharp {
  return sharp({ create: { width, height, channels: 3, background } })
}

/** Left half red, right half blue. */
export function createHalvesImage(width: number, height: number): Sharp {
  const right = { create: { width: Math.floor(width / 2), height, channels: 3 as const, background: BLUE } }
  return createPlainImage(width, height)
    .composite([{ input: right, gravity: 'east' }])
    .removeAlpha()
}

export function createNoiseImage(width: number, height: number): Sharp {
  const gauss = { type: 'gaussian' as const, mean: 128, sigma: 40 }
  return sharp({ create: { width, height, channels: 3, noise: gauss, background: '#000' } })
}

/** A white disc on a transparent background. */
export function createDiscImage(size: number): Sharp {
  const half = size / 2
  const circle = `<circle cx="${half}" cy="${half}" r="${half * 0.8}" fill="#fff"/>`
  return sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">${circle}</svg>`))
}

/** An animation with delays of 100, 150, 200 ms and so on, repeated three times. */
export async function createAnimation(format: 'gif' | 'webp', frames: Sharp[]): Promise<Buffer> {
  const encodedFrames = await Promise.all(frames.map(frame => frame.png().toBuffer()))
  const joined = sharp(encodedFrames, { join: { animated: true } })
  const options = { delay: frames.map((_, index) => 100 + index * 50), loop: 3 }
  return format === 'gif' ? joined.gif(options).toBuffer() : joined.webp({ ...options, lossless: true }).toBuffer()
}

/** An animation of a red, a green and a blue frame. */
export function createThreeFrames(format: 'gif' | 'webp', width = 40, height = 20): Promise<Buffer> {
  return createAnimation(
    format,
    [RED, GREEN, BLUE].map(color => createPlainImage(width, height, color)),
  )
}

export async function readPixel(bytes: Uint8Array, left: number, top: number, page = 0): Promise<number[]> {
  const image = sharp(bytes, { page }).extract({ left, top, width: 1, height: 1 })
  return [...(await image.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer())]
}

export function isColorClose(actual: number[], expected: number[], tolerance = 12): boolean {
  return expected.every((value, index) => Math.abs(actual[index]! - value) <= tolerance)
}

/** Runs a program on a file with these bytes; `@` among the arguments is replaced by its path. */
export async function runOnFile(program: string, bytes: Uint8Array, args: string[], extension = ''): Promise<string> {
  await using folder = await freshFolder()
  const path = join(folder.path, `image${extension}`)
  writeFileSync(path, bytes)
  return execFileSync(
    program,
    args.map(argument => (argument === '@' ? path : argument)),
    { encoding: 'utf8' },
  )
}

/** One line per frame as ImageMagick sees it, such as `gif 40x20`. */
export async function identifyFrames(bytes: Uint8Array, extension = ''): Promise<string[]> {
  const lines = await runOnFile('identify', bytes, ['-format', '%m %wx%h\\n', '@'], extension)
  return lines.trim().toLowerCase().split('\n')
}

/** Delays in milliseconds and loop count of an animation, read by ImageMagick for GIF and by webpinfo for WebP. */
export async function readTiming(
  bytes: Uint8Array,
  format: 'gif' | 'webp',
): Promise<{ delays: number[]; loop: number }> {
  if (format === 'gif') {
    const lines = (await runOnFile('identify', bytes, ['-format', '%T\\n', '@'])).trim().split('\n')
    const [first = ''] = (await runOnFile('gifsicle', bytes, ['--info', '@'])).match(/loop (count \d+|forever)/) ?? []
    return { delays: lines.map(line => Number.parseInt(line, 10) * 10), loop: Number(first.replace(/\D/g, '') || 0) }
  }
  const info = await runOnFile('webpinfo', bytes, ['@'])
  const numbers = (pattern: RegExp) => [...info.matchAll(pattern)].map(match => Number(match[1]))
  return { delays: numbers(/Duration: (\d+)/g), loop: numbers(/Loop count\s*: (\d+)/g)[0] ?? -1 }
}

/** Converts an image with a program; `@in` and `@out` among the arguments are replaced by the paths. */
export async function convertWith(
  program: string,
  args: string[],
  png: Uint8Array,
  extension: string,
): Promise<Buffer> {
  await using folder = await freshFolder()
  const [input, output] = [
    join(folder.path, png[0] === 0xff ? 'in.jpg' : 'in.png'),
    join(folder.path, `out.${extension}`),
  ]
  writeFileSync(input, png)
  const { status, stderr } = spawnSync(
    program,
    args.map(argument => (argument === '@in' ? input : argument === '@out' ? output : argument)),
  )
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
  return readFileSync(output)
}

/** Writers of the formats that libvips cannot read. */
export const FOREIGN_ENCODERS: Record<string, (png: Uint8Array) => Promise<Buffer>> = {
  heic: png => convertWith('heif-enc', ['-q', '95', '@in', '-o', '@out'], png, 'heic'),
  jxl: png => convertWith('cjxl', ['@in', '@out', '-d', '0'], png, 'jxl'),
  bmp: png => convertWith('convert-im6.q16', ['@in', '@out'], png, 'bmp'),
  ico: png => convertWith('convert-im6.q16', ['@in', '@out'], png, 'ico'),
  jp2: png => convertWith('convert-im6.q16', ['@in', '@out'], png, 'jp2'),
  psd: png => convertWith('convert-im6.q16', ['@in', '@out'], png, 'psd'),
}

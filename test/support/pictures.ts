import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { freshFolder } from './folder.ts'

export const RED = '#ff0000'
export const GREEN = '#00ff00'
export const BLUE = '#0000ff'

export function plain(width: number, height: number, background: string = RED): Sharp {
  return sharp({ create: { width, height, channels: 3, background } })
}

/** Left half red, right half blue. */
export function halves(width: number, height: number): Sharp {
  const right = { create: { width: Math.floor(width / 2), height, channels: 3 as const, background: BLUE } }
  return plain(width, height)
    .composite([{ input: right, gravity: 'east' }])
    .removeAlpha()
}

export function noise(width: number, height: number): Sharp {
  const gauss = { type: 'gaussian' as const, mean: 128, sigma: 40 }
  return sharp({ create: { width, height, channels: 3, noise: gauss, background: '#000' } })
}

/** A white disc on nothing. */
export function disc(size: number): Sharp {
  const half = size / 2
  const circle = `<circle cx="${half}" cy="${half}" r="${half * 0.8}" fill="#fff"/>`
  return sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">${circle}</svg>`))
}

/** Frames with delays of 100, 150, 200 ms and so on, three rounds. */
export async function animation(format: 'gif' | 'webp', frames: Sharp[]): Promise<Buffer> {
  const pictures = await Promise.all(frames.map(frame => frame.png().toBuffer()))
  const joined = sharp(pictures, { join: { animated: true } })
  const options = { delay: frames.map((_, index) => 100 + index * 50), loop: 3 }
  return format === 'gif' ? joined.gif(options).toBuffer() : joined.webp({ ...options, lossless: true }).toBuffer()
}

/** Red, green and blue, one after the other. */
export function traffic(format: 'gif' | 'webp', width = 40, height = 20): Promise<Buffer> {
  return animation(
    format,
    [RED, GREEN, BLUE].map(color => plain(width, height, color)),
  )
}

export async function pixel(bytes: Uint8Array, left: number, top: number, page = 0): Promise<number[]> {
  const image = sharp(bytes, { page }).extract({ left, top, width: 1, height: 1 })
  return [...(await image.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer())]
}

export function isNear(found: number[], wanted: number[], by = 12): boolean {
  return wanted.every((value, index) => Math.abs(found[index]! - value) <= by)
}

/** Runs a program over a file of these bytes; `@` among the arguments stands for it. */
export async function seenBy(program: string, bytes: Uint8Array, args: string[], ending = ''): Promise<string> {
  await using folder = await freshFolder()
  const path = join(folder.path, `picture${ending}`)
  writeFileSync(path, bytes)
  return execFileSync(
    program,
    args.map(word => (word === '@' ? path : word)),
    { encoding: 'utf8' },
  )
}

/** One line a frame: `gif 40x20`, in ImageMagick's view. */
export async function identified(bytes: Uint8Array, ending = ''): Promise<string[]> {
  const lines = await seenBy('identify', bytes, ['-format', '%m %wx%h\\n', '@'], ending)
  return lines.trim().toLowerCase().split('\n')
}

/** Delays in milliseconds and rounds of an animation, in ImageMagick's view for GIF and in webpinfo's for WebP. */
export async function timing(bytes: Uint8Array, format: 'gif' | 'webp'): Promise<{ delays: number[]; loop: number }> {
  if (format === 'gif') {
    const lines = (await seenBy('identify', bytes, ['-format', '%T\\n', '@'])).trim().split('\n')
    const [first = ''] = (await seenBy('gifsicle', bytes, ['--info', '@'])).match(/loop (count \d+|forever)/) ?? []
    return { delays: lines.map(line => Number.parseInt(line, 10) * 10), loop: Number(first.replace(/\D/g, '') || 0) }
  }
  const info = await seenBy('webpinfo', bytes, ['@'])
  const numbers = (pattern: RegExp) => [...info.matchAll(pattern)].map(found => Number(found[1]))
  return { delays: numbers(/Duration: (\d+)/g), loop: numbers(/Loop count\s*: (\d+)/g)[0] ?? -1 }
}

/** The same picture in a format that only another program writes. */
export async function written(program: string, args: string[], png: Uint8Array, ending: string): Promise<Buffer> {
  await using folder = await freshFolder()
  const [from, to] = [join(folder.path, png[0] === 0xff ? 'in.jpg' : 'in.png'), join(folder.path, `out.${ending}`)]
  writeFileSync(from, png)
  const { status, stderr } = spawnSync(
    program,
    args.map(word => (word === '@in' ? from : word === '@out' ? to : word)),
  )
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
  return readFileSync(to)
}

/** Formats libvips cannot read, each written by a program of its own. */
export const FOREIGN: Record<string, (png: Uint8Array) => Promise<Buffer>> = {
  heic: png => written('heif-enc', ['-q', '95', '@in', '-o', '@out'], png, 'heic'),
  jxl: png => written('cjxl', ['@in', '@out', '-d', '0'], png, 'jxl'),
  bmp: png => written('convert-im6.q16', ['@in', '@out'], png, 'bmp'),
  ico: png => written('convert-im6.q16', ['@in', '@out'], png, 'ico'),
  jp2: png => written('convert-im6.q16', ['@in', '@out'], png, 'jp2'),
  psd: png => written('convert-im6.q16', ['@in', '@out'], png, 'psd'),
}

import { existsSync } from 'node:fs'
import { open, readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { crc32 } from 'node:zlib'
import { Problem } from '#kit'
import type { HostRoom } from '../job-room.ts'
import { bringIn, ownerOf, readableBy, takeOut } from '../programs.ts'
import { type ForeignFormat, foreignFormat, foreignSize, largestIcon } from './foreign-heads.ts'

export type { ForeignFormat } from './foreign-heads.ts'

const HEAD_BYTES = 64 * 1024
const MOST_PIXELS = 100_000_000
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

export interface Head {
  format: ForeignFormat
  size?: { width: number; height: number }
}

/** What a file is that libvips cannot decode, by its head alone. */
export async function foreignHead(path: string): Promise<Head | undefined> {
  const head = await headOf(path)
  const format = foreignFormat(head)
  return format && { format, size: foreignSize(format, head) }
}

async function headOf(path: string): Promise<Buffer> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

export interface Decoded {
  path: string
  via?: ForeignFormat
}

/** Brings a picture of a format that libvips does not decode into PNG, by a confined program; any other stays. */
export async function decoded(room: HostRoom, path: string, page = 1): Promise<Decoded> {
  const head = await foreignHead(path)
  if (!head) return { path }
  checkSize(head)
  const to = room.out(`decoded-${page}-${basename(path)}.png`)
  if (!existsSync(to)) await DECODERS[head.format](room, path, to, page)
  return { path: to, via: head.format }
}

function checkSize({ format, size }: Head): void {
  if (format === 'heic') return
  if (!size) throw new Problem('IMAGE_DECODE_FAILED', { detected: `image/${format}`, detail: 'the head is damaged' })
  const actual = size.width * size.height
  if (actual > MOST_PIXELS) throw new Problem('TOO_MANY_PIXELS', { limit: MOST_PIXELS, actual, of: 'the picture' })
}

type Decoder = (room: HostRoom, path: string, to: string, page: number) => Promise<void>

const DECODERS: Record<ForeignFormat, Decoder> = {
  heic: decodeHeic,
  jxl: (room, path, to) => byProgram(room, 'djxl', path, to, name => [name, `./${basename(to)}`, '--num_threads=0']),
  bmp: (room, path, to) => byMagick(room, path, to, 'bmp'),
  jp2: (room, path, to) => byMagick(room, path, to, 'jp2'),
  psd: (room, path, to) => byMagick(room, path, to, 'psd', 0),
  ico: decodeIco,
}

/** A burst comes as numbered files. Its turn is in the picture itself, so that the tag must not turn it again. */
async function decodeHeic(room: HostRoom, path: string, to: string, page: number): Promise<void> {
  const made = room.out(`heic-${basename(to)}`)
  const numbered = made.replace(/\.png$/, `-${page}.png`)
  await runDecoder(room, 'heif-convert', path, name => ['--quiet', name, `./${basename(made)}`])
  const left = existsSync(numbered) ? numbered : made
  if (left === made && page > 1) throw new Problem('BAD_RANGE', { field: 'page', segment: String(page) })
  const png = await readFile(await takeOut(room, left, 'heif-convert'))
  await hand(room, to, upright(png))
}

/** PNG inside an icon is taken out as it is. */
async function decodeIco(room: HostRoom, path: string, to: string): Promise<void> {
  const bytes = await readFile(path)
  const icon = largestIcon(bytes)!
  const inner = bytes.subarray(icon.start, icon.start + icon.sizeBytes)
  if (inner.subarray(0, 8).equals(SIGNATURE)) await hand(room, to, inner)
  else await byMagick(room, path, to, 'ico', icon.index)
}

async function hand(room: HostRoom, to: string, bytes: Uint8Array): Promise<void> {
  await writeFile(to, bytes, { flag: 'wx' })
  readableBy(ownerOf(room.folder), to)
}

const LIMITS = ['width', '32KP', 'height', '32KP', 'area', '128MP', 'memory', '1GiB', 'map', '1GiB', 'disk', '0']

function byMagick(room: HostRoom, path: string, to: string, coder: string, index?: number): Promise<void> {
  const limits = LIMITS.flatMap((word, place) => (place % 2 === 0 ? ['-limit', word, LIMITS[place + 1]!] : []))
  const scene = index === undefined ? '' : `[${index}]`
  const args = (name: string) => [...limits, `${coder}:${name}${scene}`, '-quality', '10', `png:./${basename(to)}`]
  return byProgram(room, MAGICK, path, to, args)
}

/** Debian's own name for it: `convert` is an alternative, which the sandbox does not see. */
const MAGICK = ['convert-im6.q16', 'convert-im7.q16'].find(name => existsSync(`/usr/bin/${name}`)) ?? 'convert-im6.q16'

async function byProgram(room: HostRoom, program: string, path: string, to: string, args: Args): Promise<void> {
  await runDecoder(room, program, path, args)
  await takeOut(room, to, program)
}

type Args = (name: string) => string[]

async function runDecoder(room: HostRoom, program: string, path: string, args: Args): Promise<void> {
  const { install, detected } = PROGRAMS[program]!
  if (!existsSync(`/usr/bin/${program}`))
    throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: `read ${detected}`, install })
  const name = await bringIn(room, path)
  const { code, stderr } = await room.programs.run(room, program, args(name), { readOnly: [basename(name)] })
  if (code !== 0) throw new Problem('IMAGE_DECODE_FAILED', { detected, detail: plainWords(stderr) })
}

const PROGRAMS: Record<string, { install: string; detected: string }> = {
  'heif-convert': { install: 'apt-get install -y libheif-examples', detected: 'image/heic' },
  djxl: { install: 'apt-get install -y libjxl-tools', detected: 'image/jxl' },
  [MAGICK]: { install: 'apt-get install -y imagemagick', detected: 'bmp, ico, jp2 or psd' },
}

/** The program's complaint without our file names and its source lines. */
function plainWords(stderr: string): string {
  const line = stderr.trim().split('\n')[0] ?? ''
  return line
    .replaceAll(/\S*(decoded|input|in)-\S*/g, 'the picture')
    .replace(/ @ .*$/, '')
    .slice(0, 200)
}

const ORIENTATION = 0x0112

/** Sets the orientation tag of a PNG's EXIF to upright. */
export function upright(png: Buffer): Buffer {
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) !== 'eXIf') continue
    const end = at + 8 + png.readUInt32BE(at)
    clearOrientation(png.subarray(at + 8, end))
    if (end + 4 <= png.length) png.writeUInt32BE(crc32(png.subarray(at + 4, end)), end)
    break
  }
  return png
}

function clearOrientation(exif: Buffer): void {
  const tiff = exif.toString('latin1', 0, 4) === 'Exif' ? exif.subarray(6) : exif
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  try {
    const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
    for (let entry = start + 2; entry < start + 2 + short(start) * 12; entry += 12) {
      if (short(entry) !== ORIENTATION) continue
      if (isLittle) tiff.writeUInt16LE(1, entry + 8)
      else tiff.writeUInt16BE(1, entry + 8)
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
}

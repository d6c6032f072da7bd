import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { crc32 } from 'node:zlib'
import { Problem } from '#kit'
import type { Size } from '../../../../tasks/formats/geometry/region.ts'
import { clearOrientation } from '../../../../tasks/formats/image-metadata/orientation.ts'
import type { HostContext } from '../../../host-context.ts'
import { readFileStart } from '../../../inspect/file-start.ts'
import { addInputFile, checkOutputFile } from '../../../programs/run.ts'
import { detectForeignFormat, type ForeignFormat, findLargestIcon, readForeignSize } from './foreign-headers.ts'
import { unpackVector } from './packed-vector.ts'
import { writeReadable } from './readable-file.ts'

export type { ForeignFormat } from './foreign-headers.ts'

// libvips reads no HEIC, BMP, ICO, JPEG 2000, JPEG XL or PSD. A confined program makes PNG of them first, which only
// these files pay for: 15 ms for a small one, seconds for a HEIC of 12 megapixels.

const HEADER_BYTES = 64 * 1024
const MAX_PIXELS = 100_000_000
const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

interface ForeignHeader {
  format: ForeignFormat
  size?: Size
}

/** Detects formats that libvips cannot decode, from the first bytes. */
export function readForeignHeader(path: string): ForeignHeader | undefined {
  const start = readFileStart(path, HEADER_BYTES)
  const format = detectForeignFormat(start)
  return format && { format, size: readForeignSize(format, start) }
}

interface DecodedFile {
  path: string
  originalFormat?: ForeignFormat
}

/**
 * Converts an image that libvips cannot decode to PNG, in a sandboxed program, and an SVG that is compressed or in UTF-16 to a
 * plain one. Other files are returned unchanged.
 */
export async function decodeForeign(context: HostContext, path: string, page = 1): Promise<DecodedFile> {
  const header = readForeignHeader(path)
  if (!header) return { path: await unpackVector(context, path) }
  checkSize(header)
  const to = context.out(`decoded-${page}-${basename(path)}.png`)
  if (!existsSync(to)) await DECODERS[header.format](context, path, to, page)
  return { path: to, originalFormat: header.format }
}

function checkSize({ format, size }: ForeignHeader): void {
  if (format === 'heic') return
  if (!size) throw new Problem('IMAGE_DECODE_FAILED', { detected: `image/${format}`, detail: 'the header is damaged' })
  const actual = size.width * size.height
  if (actual > MAX_PIXELS) throw new Problem('TOO_MANY_PIXELS', { limit: MAX_PIXELS, actual, of: 'the image' })
}

type Decoder = (context: HostContext, path: string, to: string, page: number) => Promise<void>

const DECODERS: Record<ForeignFormat, Decoder> = {
  heic: decodeHeic,
  jxl: (context, path, to) =>
    decodeWithProgram(context, 'djxl', path, to, name => [name, `./${basename(to)}`, '--num_threads=0']),
  bmp: (context, path, to) => decodeWithMagick(context, path, to, 'bmp'),
  jp2: (context, path, to) => decodeWithMagick(context, path, to, 'jp2'),
  psd: (context, path, to) => decodeWithMagick(context, path, to, 'psd', 0),
  ico: decodeIco,
}

/**
 * The decoder writes an image sequence as numbered files. It applies the rotation to the pixels, so the orientation tag
 * is reset to prevent a second rotation.
 */
async function decodeHeic(context: HostContext, path: string, to: string, page: number): Promise<void> {
  const output = context.out(`heic-${basename(to)}`)
  const numbered = output.replace(/\.png$/, `-${page}.png`)
  await runDecoder(context, 'heif-convert', path, name => ['--quiet', name, `./${basename(output)}`])
  const produced = existsSync(numbered) ? numbered : output
  if (produced === output && page > 1) throw new Problem('BAD_RANGE', { field: 'page', segment: String(page) })
  const png = await readFile(await checkOutputFile(context, produced, 'heif-convert'))
  await writeReadable(context, to, resetOrientation(png))
}

/** A PNG inside an icon is extracted unchanged. */
async function decodeIco(context: HostContext, path: string, to: string): Promise<void> {
  const bytes = await readFile(path)
  const icon = findLargestIcon(bytes)!
  const embedded = bytes.subarray(icon.start, icon.start + icon.sizeBytes)
  if (embedded.subarray(0, 8).equals(PNG_SIGNATURE)) await writeReadable(context, to, embedded)
  else await decodeWithMagick(context, path, to, 'ico', icon.index)
}

const MAGICK_LIMITS = [
  ['width', '32KP'],
  ['height', '32KP'],
  ['area', '128MP'],
  ['memory', '1GiB'],
  ['map', '1GiB'],
  ['disk', '0'],
] as const

function decodeWithMagick(
  context: HostContext,
  path: string,
  to: string,
  coder: string,
  index?: number,
): Promise<void> {
  const limits = MAGICK_LIMITS.flatMap(([resource, limit]) => ['-limit', resource, limit])
  const scene = index === undefined ? '' : `[${index}]`
  const buildArgs = (name: string) => [...limits, `${coder}:${name}${scene}`, '-quality', '10', `png:./${basename(to)}`]
  return decodeWithProgram(context, MAGICK, path, to, buildArgs)
}

/** Debian's name of the binary. `convert` is a link of the alternatives system, which the sandbox does not contain. */
const MAGICK = ['convert-im6.q16', 'convert-im7.q16'].find(name => existsSync(`/usr/bin/${name}`)) ?? 'convert-im6.q16'

async function decodeWithProgram(
  context: HostContext,
  program: string,
  path: string,
  to: string,
  buildArgs: BuildArgs,
): Promise<void> {
  await runDecoder(context, program, path, buildArgs)
  await checkOutputFile(context, to, program)
}

type BuildArgs = (name: string) => string[]

async function runDecoder(context: HostContext, program: string, path: string, buildArgs: BuildArgs): Promise<void> {
  const { install, detected } = PROGRAMS[program]!
  if (!existsSync(`/usr/bin/${program}`))
    throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: `read ${detected}`, install })
  const name = await addInputFile(context, path)
  const { code, stderr } = await context.programs.run(context, program, buildArgs(name), { readOnly: [basename(name)] })
  if (code !== 0) throw new Problem('IMAGE_DECODE_FAILED', { detected, detail: cleanMessage(stderr) })
}

const PROGRAMS: Record<string, { install: string; detected: string }> = {
  'heif-convert': { install: 'apt-get install -y libheif-examples', detected: 'image/heic' },
  djxl: { install: 'apt-get install -y libjxl-tools', detected: 'image/jxl' },
  [MAGICK]: { install: 'apt-get install -y imagemagick', detected: 'bmp, ico, jp2 or psd' },
}

/** The first line of the program's error output, without internal file names and source lines. */
function cleanMessage(stderr: string): string {
  const line = stderr.trim().split('\n')[0] ?? ''
  return line
    .replaceAll(/\S*(decoded|input|in)-\S*/g, 'the image')
    .replace(/ @ .*$/, '')
    .slice(0, 200)
}

/** Sets the orientation tag of a PNG's EXIF to upright. */
function resetOrientation(png: Buffer): Buffer {
  for (let chunk = 8; chunk + 12 <= png.length; chunk += 12 + png.readUInt32BE(chunk)) {
    if (png.toString('latin1', chunk + 4, chunk + 8) !== 'eXIf') continue
    const end = chunk + 8 + png.readUInt32BE(chunk)
    clearOrientation(png.subarray(chunk + 8, end))
    if (end + 4 <= png.length) png.writeUInt32BE(crc32(png.subarray(chunk + 4, end)), end)
    break
  }
  return png
}

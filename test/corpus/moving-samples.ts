import { spawnSync } from 'node:child_process'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { patterned } from '../support/bytes.ts'
import { plain, traffic } from '../support/pictures.ts'
import { chunk } from './image-samples.ts'
import { type Sample, samplesOf } from './sample.ts'

const COLORS = ['#ff0000', '#00ff00', '#0000ff', '#00ff00']

async function moving(format: 'gif' | 'webp', delay: number[], side = 24): Promise<Buffer> {
  const frames = await Promise.all(
    delay.map((_, at) =>
      plain(side, side, COLORS[at % COLORS.length]!)
        .png()
        .toBuffer(),
    ),
  )
  const joined = sharp(frames, { join: { animated: true } })
  return format === 'gif' ? joined.gif({ delay, loop: 0 }).toBuffer() : joined.webp({ delay, loop: 5 }).toBuffer()
}

const GIF_HEAD = (width: number, height: number) => {
  const head = Buffer.from('474946383961000000008000000000 00ffffff'.replace(' ', ''), 'hex')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  return head
}

/** A frame of a GIF that says where it lies and how large it is, whatever its data are. */
function frame(left: number, top: number, width: number, height: number, delay = 10, disposal = 0): Buffer {
  const control = Buffer.from([0x21, 0xf9, 4, disposal << 2, delay & 255, delay >> 8, 0, 0])
  const place = Buffer.alloc(10)
  place[0] = 0x2c
  for (const [at, value] of [left, top, width, height].entries()) place.writeUInt16LE(value, 1 + at * 2)
  return Buffer.concat([control, place, Buffer.from('02024401 00'.replace(' ', ''), 'hex')])
}

const END = Buffer.from([0x3b])

function apng(delays: readonly (readonly [number, number])[], first = 0): Buffer {
  const header = Buffer.from('0000000800000008 0802000000'.replace(' ', ''), 'hex')
  const control = Buffer.alloc(8)
  control.writeUInt32BE(delays.length, 0)
  let turn = first
  const frames = delays.flatMap(([numerator, denominator], at) => {
    const place = Buffer.alloc(26)
    place.writeUInt32BE(turn++, 0)
    place.writeUInt32BE(8, 4)
    place.writeUInt32BE(8, 8)
    place.writeUInt16BE(numerator, 20)
    place.writeUInt16BE(denominator, 22)
    const data = deflateSync(Buffer.alloc(8 * 25, at * 60))
    if (at === 0) return [chunk('fcTL', place), chunk('IDAT', data)]
    const numbered = Buffer.alloc(4 + data.length)
    numbered.writeUInt32BE(turn++, 0)
    numbered.set(data, 4)
    return [chunk('fcTL', place), chunk('fdAT', numbered)]
  })
  const head = [Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', header), chunk('acTL', control)]
  return Buffer.concat([...head, ...frames, chunk('IEND', Buffer.alloc(0))])
}

/** 4, 8, 16, 24 or 32 bits a pixel; a negative height counts from the top. */
function bmp(bits: number, { width = 5, height = 4, compression = 0, data = patterned(4000) } = {}): Buffer {
  const colors = bits <= 8 ? 1 << bits : 0
  const head = Buffer.alloc(54 + colors * 4, 90)
  head.write('BM')
  head.writeUInt32LE(head.length + data.length, 2)
  head.writeUInt32LE(0, 6)
  head.writeUInt32LE(head.length, 10)
  head.writeUInt32LE(40, 14)
  head.writeInt32LE(width, 18)
  head.writeInt32LE(height, 22)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(bits, 28)
  head.writeUInt32LE(compression, 30)
  for (const at of [34, 38, 42, 50]) head.writeUInt32LE(0, at)
  head.writeUInt32LE(colors, 46)
  return Buffer.concat([head, data])
}

const gifs = {
  'traffic.gif': () => traffic('gif'),
  'delays-odd.gif': () => moving('gif', [0, 10, 65_535, 20]),
  '1000-frames.gif': () =>
    Buffer.concat([GIF_HEAD(1, 1), ...Array.from({ length: 1000 }, () => frame(0, 0, 1, 1)), END]),
  '1001-frames.gif': () =>
    Buffer.concat([GIF_HEAD(1, 1), ...Array.from({ length: 1001 }, () => frame(0, 0, 1, 1)), END]),
  '100000-frames.gif': () =>
    Buffer.concat([GIF_HEAD(1, 1), ...Array.from({ length: 100_000 }, () => frame(0, 0, 1, 1)), END]),
  'frame-outside.gif': () => Buffer.concat([GIF_HEAD(4, 4), frame(9, 9, 30, 30), frame(0, 0, 4, 4), END]),
  'no-screen.gif': () => Buffer.concat([GIF_HEAD(0, 0), frame(0, 0, 1, 1), END]),
  'no-frames.gif': () => Buffer.concat([GIF_HEAD(4, 4), END]),
  'no-end.gif': async () => (await traffic('gif')).subarray(0, -1),
  'bomb-65535.gif': () => Buffer.concat([GIF_HEAD(65_535, 65_535), frame(0, 0, 65_535, 65_535), END]),
  'bomb-frames.gif': () =>
    Buffer.concat([GIF_HEAD(9000, 9000), ...Array.from({ length: 900 }, () => frame(0, 0, 9000, 9000)), END]),
  'disposal-back.gif': () =>
    Buffer.concat([GIF_HEAD(1, 1), ...[3, 2, 1, 7].map(how => frame(0, 0, 1, 1, 5, how)), END]),
  'same-frames.gif': () => {
    const same = frame(0, 0, 1, 1, 7, 1)
    return Buffer.concat([GIF_HEAD(1, 1), same, same, frame(0, 0, 1, 1, 33, 1), same, END])
  },
}

const webps = {
  'traffic.webp': () => traffic('webp'),
  'delays-odd.webp': () => moving('webp', [0, 1, 65_535, 20]),
  'frames-cut.webp': async () => (await traffic('webp')).subarray(0, 120),
  'no-frames.webp': () =>
    Buffer.from('524946461e0000005745425056503858 0a000000020000000700000700 00414e494d'.replaceAll(' ', ''), 'hex'),
}

const apngs = {
  'moving.png': () =>
    apng([
      [1, 10],
      [0, 0],
      [65_535, 1],
      [1, 65_535],
    ]),
  'moving-out-of-turn.png': () =>
    apng(
      [
        [1, 10],
        [1, 10],
      ],
      7,
    ),
  'moving-count-lies.png': () => {
    const bytes = apng([[1, 10]])
    bytes.writeUInt32BE(100_000, bytes.indexOf('acTL') + 4)
    return bytes
  },
}

const bmps = {
  ...Object.fromEntries([1, 4, 8, 16, 24, 32].map(bits => [`${bits}-bits.bmp`, () => bmp(bits)])),
  'from-the-top.bmp': () => bmp(24, { height: -4 }),
  'height-least.bmp': () => bmp(24, { height: -2_147_483_648 }),
  'size-30000.bmp': () => bmp(24, { width: 30_000, height: 30_000 }),
  'run-lengths.bmp': () => bmp(8, { compression: 1, data: Buffer.from('0507000005070000050700000001', 'hex') }),
  'run-lengths-wild.bmp': () => bmp(8, { compression: 1 }),
  'bit-fields.bmp': () => bmp(32, { compression: 3 }),
  'no-data.bmp': () => bmp(24, { width: 100, height: 100, data: Buffer.alloc(0) }),
  'two-bytes.bmp': () => 'BM',
}

/** Written by programs that may be missing here. */
const programs = {
  'lossy-lzw.gif': async () => {
    const { stdout, status } = spawnSync('gifsicle', ['-O3', '--lossy=80'], { input: await traffic('gif') })
    return status === 0 ? stdout : traffic('gif')
  },
}

export function movingSamples(): Sample[] {
  return samplesOf('image', { ...gifs, ...webps, ...apngs, ...bmps, ...programs })
}

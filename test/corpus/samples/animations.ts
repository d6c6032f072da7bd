import { spawnSync } from 'node:child_process'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { createBytes } from '../../support/data/bytes.ts'
import { createPlainImage, createThreeFrames } from '../../support/images/measure.ts'
import { encodeChunk } from './images.ts'
import { createSamples, type Sample } from './kinds.ts'

const COLORS = ['#ff0000', '#00ff00', '#0000ff', '#00ff00']

async function renderAnimation(format: 'gif' | 'webp', delay: number[], side = 24): Promise<Buffer> {
  const frames = await Promise.all(
    delay.map((_, index) =>
      createPlainImage(side, side, COLORS[index % COLORS.length]!)
        .png()
        .toBuffer(),
    ),
  )
  const joined = sharp(frames, { join: { animated: true } })
  return format === 'gif' ? joined.gif({ delay, loop: 0 }).toBuffer() : joined.webp({ delay, loop: 5 }).toBuffer()
}

const gifHeader = (width: number, height: number) => {
  const head = Buffer.from('474946383961000000008000000000 00ffffff'.replace(' ', ''), 'hex')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  return head
}

/** A GIF frame with any position and size, whatever its data are. */
function gifFrame(left: number, top: number, width: number, height: number, delay = 10, disposal = 0): Buffer {
  const control = Buffer.from([0x21, 0xf9, 4, disposal << 2, delay & 255, delay >> 8, 0, 0])
  const descriptor = Buffer.alloc(10)
  descriptor[0] = 0x2c
  for (const [index, value] of [left, top, width, height].entries()) descriptor.writeUInt16LE(value, 1 + index * 2)
  return Buffer.concat([control, descriptor, Buffer.from('02024401 00'.replace(' ', ''), 'hex')])
}

const GIF_END = Buffer.from([0x3b])

function encodeApng(delays: readonly (readonly [number, number])[], firstSequence = 0): Buffer {
  const header = Buffer.from('0000000800000008 0802000000'.replace(' ', ''), 'hex')
  const control = Buffer.alloc(8)
  control.writeUInt32BE(delays.length, 0)
  let sequence = firstSequence
  const frames = delays.flatMap(([numerator, denominator], index) => {
    const descriptor = Buffer.alloc(26)
    descriptor.writeUInt32BE(sequence++, 0)
    descriptor.writeUInt32BE(8, 4)
    descriptor.writeUInt32BE(8, 8)
    descriptor.writeUInt16BE(numerator, 20)
    descriptor.writeUInt16BE(denominator, 22)
    const data = deflateSync(Buffer.alloc(8 * 25, index * 60))
    if (index === 0) return [encodeChunk('fcTL', descriptor), encodeChunk('IDAT', data)]
    const numbered = Buffer.alloc(4 + data.length)
    numbered.writeUInt32BE(sequence++, 0)
    numbered.set(data, 4)
    return [encodeChunk('fcTL', descriptor), encodeChunk('fdAT', numbered)]
  })
  const head = [Buffer.from('89504e470d0a1a0a', 'hex'), encodeChunk('IHDR', header), encodeChunk('acTL', control)]
  return Buffer.concat([...head, ...frames, encodeChunk('IEND', Buffer.alloc(0))])
}

/** With 1 to 32 bits per pixel; a negative height means that the rows start at the top. */
function encodeBmp(bits: number, { width = 5, height = 4, compression = 0, data = createBytes(4000) } = {}): Buffer {
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
  for (const index of [34, 38, 42, 50]) head.writeUInt32LE(0, index)
  head.writeUInt32LE(colors, 46)
  return Buffer.concat([head, data])
}

const gifs = {
  'traffic.gif': () => createThreeFrames('gif'),
  'delays-odd.gif': () => renderAnimation('gif', [0, 10, 65_535, 20]),
  '1000-frames.gif': () =>
    Buffer.concat([gifHeader(1, 1), ...Array.from({ length: 1000 }, () => gifFrame(0, 0, 1, 1)), GIF_END]),
  '1001-frames.gif': () =>
    Buffer.concat([gifHeader(1, 1), ...Array.from({ length: 1001 }, () => gifFrame(0, 0, 1, 1)), GIF_END]),
  '100000-frames.gif': () =>
    Buffer.concat([gifHeader(1, 1), ...Array.from({ length: 100_000 }, () => gifFrame(0, 0, 1, 1)), GIF_END]),
  'frame-outside.gif': () => Buffer.concat([gifHeader(4, 4), gifFrame(9, 9, 30, 30), gifFrame(0, 0, 4, 4), GIF_END]),
  'no-screen.gif': () => Buffer.concat([gifHeader(0, 0), gifFrame(0, 0, 1, 1), GIF_END]),
  'no-frames.gif': () => Buffer.concat([gifHeader(4, 4), GIF_END]),
  'no-end.gif': async () => (await createThreeFrames('gif')).subarray(0, -1),
  'bomb-65535.gif': () => Buffer.concat([gifHeader(65_535, 65_535), gifFrame(0, 0, 65_535, 65_535), GIF_END]),
  'bomb-frames.gif': () =>
    Buffer.concat([gifHeader(9000, 9000), ...Array.from({ length: 900 }, () => gifFrame(0, 0, 9000, 9000)), GIF_END]),
  'disposal-back.gif': () =>
    Buffer.concat([gifHeader(1, 1), ...[3, 2, 1, 7].map(disposal => gifFrame(0, 0, 1, 1, 5, disposal)), GIF_END]),
  'same-frames.gif': () => {
    const repeated = gifFrame(0, 0, 1, 1, 7, 1)
    return Buffer.concat([gifHeader(1, 1), repeated, repeated, gifFrame(0, 0, 1, 1, 33, 1), repeated, GIF_END])
  },
}

const webps = {
  'traffic.webp': () => createThreeFrames('webp'),
  'delays-odd.webp': () => renderAnimation('webp', [0, 1, 65_535, 20]),
  'frames-cut.webp': async () => (await createThreeFrames('webp')).subarray(0, 120),
  'no-frames.webp': () =>
    Buffer.from('524946461e0000005745425056503858 0a000000020000000700000700 00414e494d'.replaceAll(' ', ''), 'hex'),
}

const apngs = {
  'moving.png': () =>
    encodeApng([
      [1, 10],
      [0, 0],
      [65_535, 1],
      [1, 65_535],
    ]),
  'moving-out-of-turn.png': () =>
    encodeApng(
      [
        [1, 10],
        [1, 10],
      ],
      7,
    ),
  'moving-count-lies.png': () => {
    const bytes = encodeApng([[1, 10]])
    bytes.writeUInt32BE(100_000, bytes.indexOf('acTL') + 4)
    return bytes
  },
}

const bmps = {
  ...Object.fromEntries([1, 4, 8, 16, 24, 32].map(bits => [`${bits}-bits.bmp`, () => encodeBmp(bits)])),
  'from-the-top.bmp': () => encodeBmp(24, { height: -4 }),
  'height-least.bmp': () => encodeBmp(24, { height: -2_147_483_648 }),
  'size-30000.bmp': () => encodeBmp(24, { width: 30_000, height: 30_000 }),
  'run-lengths.bmp': () => encodeBmp(8, { compression: 1, data: Buffer.from('0507000005070000050700000001', 'hex') }),
  'run-lengths-wild.bmp': () => encodeBmp(8, { compression: 1 }),
  'bit-fields.bmp': () => encodeBmp(32, { compression: 3 }),
  'no-data.bmp': () => encodeBmp(24, { width: 100, height: 100, data: Buffer.alloc(0) }),
  'two-bytes.bmp': () => 'BM',
}

/** Samples written by programs that may not be installed. */
const programs = {
  'lossy-lzw.gif': async () => {
    const { stdout, status } = spawnSync('gifsicle', ['-O3', '--lossy=80'], { input: await createThreeFrames('gif') })
    return status === 0 ? stdout : createThreeFrames('gif')
  },
}

export function buildAnimationSamples(): Sample[] {
  return createSamples('image', { ...gifs, ...webps, ...apngs, ...bmps, ...programs })
}

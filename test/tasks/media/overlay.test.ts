import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { listStreams, pixelAt, readFrames, record, sample, sine } from '../../support/media/recordings.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

const [WIDTH, HEIGHT] = [200, 100]
let pools: Pools & AsyncDisposable
let blank: Buffer
beforeAll(async () => {
  pools = await sharedPools()
  blank = record('mp4', `-f lavfi -i color=black:s=${WIDTH}x${HEIGHT}:r=10:d=1 ${sine(440, 1)} -preset ultrafast`)
})
afterAll(() => pools[Symbol.asyncDispose]())

const red = record('png', '-f lavfi -i color=red:s=40x20 -frames:v 1')
const draw = (options: Record<string, unknown>, file: Buffer | string = blank) =>
  runJob(pools, 'media.overlay', { file, speedPreset: 'ultrafast', crf: 5, ...options })
const decode = async (options: Record<string, unknown>) => readFrames((await draw(options)).bytes, WIDTH, HEIGHT)
const colorAt = (frame: Uint8Array | undefined, x: number, y: number) => pixelAt(frame!, WIDTH, x, y)
const isNear = (color: number[], expected: number[]) => color.every((value, at) => Math.abs(value - expected[at]!) < 25)
const RED = [255, 0, 0]
const BLACK = [0, 0, 0]

test('draws an image where it belongs, in its own colours, and copies the sound', async () => {
  const { bytes, result, chargedMicros } = await draw({ overlay: red, scale: 0.2, margin: 10 })
  expect([listStreams(bytes), chargedMicros]).toEqual([['h264 200x100', 'aac 16000/1'], 10_000n])
  expect(result.media).toMatchObject({ durationSec: expect.closeTo(1, 1), fps: 10 })
  const [frame] = readFrames(bytes, WIDTH, HEIGHT)
  expect(isNear(colorAt(frame, 170, 20), RED)).toBe(true)
  for (const [x, y] of [
    [145, 20],
    [195, 20],
    [170, 5],
    [170, 35],
  ] as const)
    expect(isNear(colorAt(frame, x, y), BLACK)).toBe(true)
})

test.each([
  [{ position: 'southwest', margin: 0 }, [5, 95]],
  [{ position: 'center' }, [100, 50]],
  [{ x: 60, y: 70 }, [65, 75]],
] as const)('places by %o', async (place, [x, y]) => {
  const [frame] = await decode({ overlay: red, scale: 0.1, ...place })
  expect([isNear(colorAt(frame, x, y), RED), isNear(colorAt(frame, 180, 35), BLACK)]).toEqual([true, true])
})

test('appears and fades within its time, as clear as asked for', async () => {
  const frames = await decode({ overlay: red, scale: 0.5, opacity: 0.5, start: 0.3, end: 0.8, fadeMs: 200, margin: 0 })
  const reds = frames.map(frame => colorAt(frame, 150, 20)[0]!)
  expect([reds[0], reds[2], reds[9]].every(value => value! < 20)).toBe(true)
  expect([reds[3]! < reds[4]!, reds[4]! < reds[5]!, reds[6]! > reds[7]!]).toEqual([true, true, true])
  expect(Math.abs(Math.max(...reds) - 128)).toBeLessThan(25)
})

const blink =
  '-f lavfi -i color=blue:s=40x20:r=10:d=0.2 -f lavfi -i color=lime:s=40x20:r=10:d=0.2 -filter_complex [0][1]concat'
/** Half of it is transparent. */
const half = '-f lavfi -i color=red:s=40x20:r=10:d=0.4 -vf format=rgba,geq=r=255:g=0:b=0:a=if(lt(X\\,20)\\,255\\,0)'
test.each([
  ['webm', `${half} -c:v libvpx-vp9 -pix_fmt yuva420p -b:v 0 -crf 5 -auto-alt-ref 0`],
  ['webm', `${half} -c:v libvpx -pix_fmt yuva420p -b:v 1M -auto-alt-ref 0`],
  ['mov', `${half} -c:v qtrle -pix_fmt argb`],
  ['apng', `${half} -plays 0`],
  ['gif', `${half},split[a][b];[a]palettegen[p];[b][p]paletteuse`],
])('keeps what is transparent of %s %#, and repeats it', async (extension, args) => {
  const [frame, ...rest] = await decode({ overlay: record(extension, args), scale: 0.5, margin: 0 })
  for (const at of [frame, rest.at(-1)]) {
    expect([isNear(colorAt(at, 115, 25), RED), isNear(colorAt(at, 180, 25), BLACK)]).toEqual([true, true])
  }
})

test('repeats a video, or ends with it', async () => {
  const video = record('mp4', `${blink} -preset ultrafast -pix_fmt yuv420p`)
  const isBlue = (frame: Uint8Array | undefined) => colorAt(frame, 150, 25)[2]! > 120
  const repeated = await decode({ overlay: video, scale: 0.5, margin: 0 })
  expect([0, 3, 5, 7].map(at => isBlue(repeated[at]))).toEqual([true, false, true, false])
  const once = await decode({ overlay: video, scale: 0.5, margin: 0, loop: false })
  expect(isNear(colorAt(once[8], 150, 25), BLACK)).toBe(true)
})

test('draws text that could be taken for a filter as text, in layers above each other', async () => {
  const text = "50%: 'a' \\ [b];drawtext=textfile=/etc/passwd, %{pts} {\\b1} <b>x</b>"
  const layers = [
    { overlay: red, scale: 1, position: 'center' },
    { text, position: 'south', fontSize: 10, color: '#ffffff', margin: 4 },
    { text: 'top', position: 'northwest', box: true, boxColor: '#00ff00', margin: 5, fontSize: 20 },
  ]
  const { bytes, warnings } = await draw({ overlays: layers })
  const [frame] = readFrames(bytes, WIDTH, HEIGHT)
  expect(warnings).toEqual([])
  const count = (isLit: (color: number[]) => boolean, from: number, to: number) => {
    let lit = 0
    for (let y = from; y < to; y++) for (let x = 0; x < WIDTH; x++) if (isLit(colorAt(frame, x, y))) lit += 1
    return lit
  }
  expect(count(([, g, b]) => g! > 150 && b! > 150, 60, 100)).toBeGreaterThan(60)
  expect(count(([r, g]) => g! > 180 && r! < 120, 0, 40)).toBeGreaterThan(100)
})

test('writes other formats and codecs', async () => {
  const { bytes } = await draw({ overlay: red, to: 'webm', videoCodec: 'vp9', crf: undefined, bitrateKbps: 100 })
  expect(listStreams(bytes)).toEqual(['vp9 200x100', 'opus 48000/1'])
})

test.each([
  [{}, 'MISSING_FIELD'],
  [{ overlay: red, text: 'x' }, 'CONFLICTING_OPTIONS'],
  [{ overlay: red, overlays: [{ text: 'x' }] }, 'CONFLICTING_OPTIONS'],
  [{ overlay: red, fontSize: 20 }, 'CONFLICTING_OPTIONS'],
  [{ overlay: red, x: 1, y: 1, position: 'center' }, 'CONFLICTING_OPTIONS'],
  [{ text: 'x', boxColor: '#ff0000' }, 'MISSING_FIELD'],
  [{ text: 'x', scale: 0.5 }, 'CONFLICTING_OPTIONS'],
  [{ overlay: red, bitrateKbps: 100 }, 'CONFLICTING_OPTIONS'],
  [{ overlay: red, x: 5 }, 'MISSING_FIELD'],
  [{ overlay: red, start: 2 }, 'BAD_TIME_RANGE'],
  [{ overlay: red, fadeMs: 800 }, 'BAD_TIME_RANGE'],
  [{ overlay: sample('tone.wav') }, 'NO_VIDEO_STREAM'],
  [{ text: 'x', font: 'No Such' }, 'FONT_UNAVAILABLE'],
])('refuses %#', async (options, code) => {
  await expect(draw(options)).rejects.toMatchObject({ code })
})

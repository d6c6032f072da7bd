import { execaSync } from 'execa'

// Writes subtitles as Blu-ray has them (PGS): pictures of palette indexes in runs, within segments that say when and where.

const [SCREEN_WIDTH, SCREEN_HEIGHT] = [1280, 720]
const [WIDTH, HEIGHT, LEFT, TOP] = [1000, 140, 140, 560]
const COMPOSITION = 0x16
const WINDOW = 0x17
const PALETTE = 0x14
const IMAGE = 0x15
const END = 0x80

export interface ImageCue {
  startMs: number
  endMs: number
  text: string
}

/** Light letters on nothing, and nothing again at the end of each cue. */
export function buildImageSubtitles(cues: readonly ImageCue[]): Buffer {
  return Buffer.concat(
    cues.flatMap(({ startMs, endMs, text }, index) => [show(startMs, 2 * index, text), clear(endMs, 2 * index + 1)]),
  )
}

function segment(atMs: number, type: number, content: readonly number[]): Buffer {
  const head = Buffer.alloc(13)
  head.write('PG')
  head.writeUInt32BE(atMs * 90, 2)
  head.writeUInt8(type, 10)
  head.writeUInt16BE(content.length, 11)
  return Buffer.concat([head, Buffer.from(content)])
}

const word = (value: number) => [value >> 8, value & 255]
const SCREEN = [...word(SCREEN_WIDTH), ...word(SCREEN_HEIGHT), 0x10]
const WINDOWS = [1, 0, ...word(LEFT), ...word(TOP), ...word(WIDTH), ...word(HEIGHT)]
/** Index, brightness, two colours and opacity of each entry. */
const ENTRIES = [0, 0, ...[0, 16, 128, 128, 0], ...[1, 235, 128, 128, 255]]

function show(atMs: number, number: number, text: string): Buffer {
  const runs = encodeRuns(renderText(text))
  const length = runs.length + 4
  const placed = [...word(0), 0, 0, ...word(LEFT), ...word(TOP)]
  return Buffer.concat([
    segment(atMs, COMPOSITION, [...SCREEN, ...word(number), 0x80, 0, 0, 1, ...placed]),
    segment(atMs, WINDOW, WINDOWS),
    segment(atMs, PALETTE, ENTRIES),
    segment(atMs, IMAGE, [
      ...word(0),
      0,
      0xc0,
      length >> 16,
      ...word(length & 0xffff),
      ...word(WIDTH),
      ...word(HEIGHT),
      ...runs,
    ]),
    segment(atMs, END, []),
  ])
}

function clear(atMs: number, number: number): Buffer {
  return Buffer.concat([
    segment(atMs, COMPOSITION, [...SCREEN, ...word(number), 0, 0, 0, 0]),
    segment(atMs, WINDOW, WINDOWS),
    segment(atMs, END, []),
  ])
}

/** 1 where a letter is. ImageMagick draws it, so that another program reads than wrote. */
function renderText(text: string): Uint8Array {
  const size = ['-size', `${WIDTH}x${HEIGHT}`, '-background', 'black', '-fill', 'white', '-gravity', 'center']
  const font = ['-font', 'Liberation-Sans', '-pointsize', '44']
  const { stdout } = execaSync('convert', [...size, ...font, `label:${text}`, '-depth', '8', 'gray:-'], {
    encoding: 'buffer',
  })
  return stdout.map(value => (value > 128 ? 1 : 0))
}

const MAX_RUN = 16_383

function encodeRuns(pixels: Uint8Array): number[] {
  const bytes: number[] = []
  for (let row = 0; row < pixels.length; row += WIDTH) {
    for (let at = row; at < row + WIDTH; ) {
      let end = at + 1
      while (end < row + WIDTH && pixels[end] === pixels[at] && end - at < MAX_RUN) end++
      bytes.push(...encodeRun(pixels[at]!, end - at))
      at = end
    }
    bytes.push(0, 0)
  }
  return bytes
}

function encodeRun(color: number, length: number): number[] {
  const long = length < 64 ? [length] : [0x40 | (length >> 8), length & 255]
  if (color === 0) return [0, ...long]
  if (length < 3) return Array<number>(length).fill(color)
  return [0, long[0]! | 0x80, ...long.slice(1), color]
}

type Format = 'gif' | 'webp' | 'apng'

/** How long an animation of ours plays once: as long as its frames are shown. */
export function measureAnimation(bytes: Uint8Array, format: Format): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const seconds = LISTS[format](file).reduce((sum, each) => sum + each, 0)
  return Math.round(seconds * 1000) / 1000
}

const LISTS: Record<Format, (file: Buffer) => number[]> = {
  gif: listGifSeconds,
  webp: file => [...listChunks(file, 12, false)].flatMap(({ name, at }) => (name === 'ANMF' ? readWebp(file, at) : [])),
  apng: file => [...listChunks(file, 8, true)].flatMap(({ name, at }) => (name === 'fcTL' ? readApng(file, at) : [])),
}

const GIF_HEADER_BYTES = 13
const EXTENSION = 0x21
const CONTROL = 0xf9
const IMAGE = 0x2c

function listGifSeconds(file: Buffer): number[] {
  const seconds: number[] = []
  let at = GIF_HEADER_BYTES + tableBytes(file[10]!)
  while (file[at] === EXTENSION || file[at] === IMAGE) {
    if (file[at] === EXTENSION && file[at + 1] === CONTROL) seconds.push(file.readUInt16LE(at + 4) / 100)
    at = skipBlocks(file, file[at] === EXTENSION ? at + 2 : at + 11 + tableBytes(file[at + 9]!))
  }
  return seconds
}

function tableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

/** Each block begins with its length; an empty one is the last. */
function skipBlocks(file: Buffer, from: number): number {
  let at = from
  while (file[at]) at += 1 + file[at]!
  return at + 1
}

/** The chunks of a WebP, whose names come first and which have an even length, or of a PNG. */
function* listChunks(file: Buffer, from: number, isPng: boolean): Generator<{ name: string; at: number }> {
  let at = from
  while (at + 8 <= file.length) {
    const length = isPng ? file.readUInt32BE(at) : file.readUInt32LE(at + 4)
    yield { name: file.toString('latin1', isPng ? at + 4 : at, isPng ? at + 8 : at + 4), at: at + 8 }
    at += 8 + length + (isPng ? 4 : length & 1)
  }
}

function readWebp(file: Buffer, at: number): number {
  return file.readUIntLE(at + 12, 3) / 1000
}

function readApng(file: Buffer, at: number): number {
  return file.readUInt16BE(at + 20) / (file.readUInt16BE(at + 22) || 100)
}

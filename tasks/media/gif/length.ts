import { readGifBlocks } from '../../formats/raster/gif-blocks.ts'
import { readPngChunks } from '../../formats/raster/png-chunks.ts'

type Format = 'gif' | 'webp' | 'apng'

/** How long an animation of ours plays once: as long as its frames are shown. */
export function measureAnimation(bytes: Uint8Array, format: Format): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const seconds = [...LISTS[format](file)].reduce((sum, each) => sum + each, 0)
  return Math.round(seconds * 1000) / 1000
}

const LISTS: Record<Format, (file: Buffer) => Iterable<number>> = {
  gif: listGifSeconds,
  webp: listWebpSeconds,
  apng: listPngSeconds,
}

const GRAPHIC_CONTROL = 0xf9

function* listGifSeconds(gif: Buffer): Generator<number> {
  for (const { at, label } of readGifBlocks(gif)) if (label === GRAPHIC_CONTROL) yield gif.readUInt16LE(at + 4) / 100
}

function* listPngSeconds(png: Buffer): Generator<number> {
  for (const { kind, data } of readPngChunks(png))
    if (kind === 'fcTL') yield data.readUInt16BE(20) / (data.readUInt16BE(22) || 100)
}

const RIFF_HEADER_BYTES = 12

/** Its chunks have an even length, and their names come first. */
function* listWebpSeconds(webp: Buffer): Generator<number> {
  for (let at = RIFF_HEADER_BYTES; at + 8 <= webp.length; ) {
    const length = webp.readUInt32LE(at + 4)
    if (webp.toString('latin1', at, at + 4) === 'ANMF') yield webp.readUIntLE(at + 20, 3) / 1000
    at += 8 + length + (length & 1)
  }
}

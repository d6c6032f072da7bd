import type { Facts } from '#kit'
import { readFileStart } from './file-start.ts'

const HEAD_BYTES = 64 * 1024

/**
 * Reads the dimensions of a still JPEG, PNG or WebP from its first bytes, which saves most images a call to libvips.
 * Returns nothing for any other file. Whether the image can be decoded is only known when it is.
 */
export function readImageHeader(path: string): Facts | undefined {
  const size = readSize(readFileStart(path, HEAD_BYTES))
  return size && size.width > 0 && size.height > 0 ? { ...size, frames: 1 } : undefined
}

interface Size {
  width: number
  height: number
}

function readSize(head: Buffer): Size | undefined {
  if (head.length < 30) return undefined
  if (head.readUInt16BE(0) === 0xffd8) return readJpegSize(head)
  if (head.toString('latin1', 0, 16) === PNG_HEAD)
    return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
  return head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP'
    ? readWebpSize(head)
    : undefined
}

const PNG_HEAD = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'
/** Markers C0 to CF begin a frame header, except for three that have another use. */
const isFrameHeader = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function readJpegSize(head: Buffer): Size | undefined {
  let at = 2
  while (at + 9 < head.length && head[at] === 0xff) {
    const marker = head[at + 1]!
    if (isFrameHeader(marker)) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) }
    at += 2 + head.readUInt16BE(at + 2)
  }
  return undefined
}

function readWebpSize(head: Buffer): Size | undefined {
  const kind = head.toString('latin1', 12, 16)
  if (kind === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
  if (kind !== 'VP8L') return undefined
  const bits = head.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

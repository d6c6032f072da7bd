import { crc32, deflateSync } from 'node:zlib'
import { createBytes } from '../data/bytes.ts'

/** A grey PNG of noise, which hardly compresses. */
export function createNoisyPng(side: number, seed = 1): Buffer {
  const rows = Array.from({ length: side }, (_, row) => [Buffer.alloc(1), createBytes(side, seed * 1_000 + row)])
  return encodePng(side, side, deflateSync(Buffer.concat(rows.flat())))
}

/** A PNG whose header claims this size, whatever the data is. */
export function encodePng(width: number, height: number, data: Uint8Array): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    encodeChunk('IHDR', header),
    encodeChunk('IDAT', data),
    encodeChunk('IEND', Buffer.alloc(0)),
  ])
}

export function encodeChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(data.length, 0)
  whole.set(body, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}

const SIGNATURE_BYTES = 8
/** Of the length, the name and the checksum. */
const FRAME_BYTES = 12

interface PngChunk {
  kind: string
  data: Buffer
}

/** The chunks of a PNG, also of one that is cut off. */
export function* readPngChunks(png: Buffer): Generator<PngChunk> {
  for (let at = SIGNATURE_BYTES; at + FRAME_BYTES <= png.length; ) {
    const length = png.readUInt32BE(at)
    yield { kind: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) }
    at += FRAME_BYTES + length
  }
}

export function withoutPngChunk(png: Buffer, unwanted: string): Buffer {
  let at = SIGNATURE_BYTES
  for (const { kind, data } of readPngChunks(png)) {
    const next = at + FRAME_BYTES + data.length
    if (kind === unwanted) return Buffer.concat([png.subarray(0, at), png.subarray(next)])
    at = next
  }
  return png
}

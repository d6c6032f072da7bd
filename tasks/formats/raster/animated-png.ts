const SIGNATURE_BYTES = 8
/** Of the length and the name of a chunk. */
const HEAD_BYTES = 8
const CHECKSUM_BYTES = 4

/** Whether the beginning of a file is that of an animated PNG, which says so before its first pixels. */
export function isAnimatedPng(start: Buffer): boolean {
  for (const name of listChunks(start)) if (name === 'acTL' || name === 'IDAT') return name === 'acTL'
  return false
}

/** Counts the frames themselves, because who writes to a pipe does not know their number at the start. */
export function countPngFrames(file: Buffer): number {
  if (!isAnimatedPng(file)) return 1
  let frames = 0
  for (const name of listChunks(file)) if (name === 'fcTL') frames += 1
  return Math.max(1, frames)
}

function* listChunks(png: Buffer): Generator<string> {
  if (png.toString('latin1', 1, 4) !== 'PNG') return
  for (
    let at = SIGNATURE_BYTES;
    at + HEAD_BYTES <= png.length;
    at += HEAD_BYTES + png.readUInt32BE(at) + CHECKSUM_BYTES
  )
    yield png.toString('latin1', at + 4, at + 8)
}

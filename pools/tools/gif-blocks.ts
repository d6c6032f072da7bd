import { readFile } from 'node:fs/promises'

const EXTENSION = 0x21
const FRAME = 0x2c
const HEAD_BYTES = 13
const FRAME_HEAD_BYTES = 10

/** Whether the data of a GIF end in the middle of a block; its decoder makes do with that and does not tell. */
export async function isCutGif(file: string): Promise<boolean> {
  const bytes = await readFile(file)
  let at = HEAD_BYTES + tableBytes(bytes[10]!)
  while (at < bytes.length) {
    const kind = bytes[at]
    if (kind !== EXTENSION && kind !== FRAME) return false
    at = kind === EXTENSION ? at + 2 : at + FRAME_HEAD_BYTES + tableBytes(bytes[at + 9] ?? 0) + 1
    const end = endOfPieces(bytes, at)
    if (end === undefined) return true
    at = end
  }
  return at > bytes.length
}

function tableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

/** A chain of pieces, each with its length before it, ends with an empty one. */
function endOfPieces(bytes: Uint8Array, from: number): number | undefined {
  let at = from
  while (at < bytes.length) {
    const length = bytes[at]!
    at += 1 + length
    if (length === 0) return at
  }
  return undefined
}

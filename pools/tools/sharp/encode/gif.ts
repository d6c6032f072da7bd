import { readFile } from 'node:fs/promises'

const EXTENSION = 0x21
const IMAGE_DESCRIPTOR = 0x2c
const HEADER_BYTES = 13
const DESCRIPTOR_BYTES = 10

/** Whether a GIF ends in the middle of a block. The decoder accepts such files without an error. */
export async function isTruncatedGif(file: string): Promise<boolean> {
  const bytes = await readFile(file)
  let offset = HEADER_BYTES + colorTableBytes(bytes[10]!)
  while (offset < bytes.length) {
    const kind = bytes[offset]
    if (kind !== EXTENSION && kind !== IMAGE_DESCRIPTOR) return false
    offset = kind === EXTENSION ? offset + 2 : offset + DESCRIPTOR_BYTES + colorTableBytes(bytes[offset + 9] ?? 0) + 1
    const end = findSubBlocksEnd(bytes, offset)
    if (end === undefined) return true
    offset = end
  }
  return offset > bytes.length
}

function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

/** Sub-blocks are preceded by their length; an empty one ends the chain. Undefined if the data ends before that. */
function findSubBlocksEnd(bytes: Uint8Array, from: number): number | undefined {
  let offset = from
  while (offset < bytes.length) {
    const length = bytes[offset]!
    offset += 1 + length
    if (length === 0) return offset
  }
  return undefined
}

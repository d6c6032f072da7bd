const HEADER_BYTES = 13
const EXTENSION = 0x21
const IMAGE = 0x2c
const DESCRIPTOR_BYTES = 10

interface GifBlock {
  /** Where it begins. */
  at: number
  /** Of an extension: which one it is. */
  label?: number
  /** Undefined if the file ends before it does. */
  end?: number
}

/** The blocks of a GIF, up to its end or to the first that is cut off. */
export function* readGifBlocks(gif: Buffer): Generator<GifBlock> {
  let at = findFirstBlock(gif)
  while (gif[at] === EXTENSION || gif[at] === IMAGE) {
    const isExtension = gif[at] === EXTENSION
    const content = isExtension ? at + 2 : at + DESCRIPTOR_BYTES + countTableBytes(gif[at + 9] ?? 0) + 1
    const end = findContentEnd(gif, content)
    yield { at, ...(isExtension && { label: gif[at + 1] }), end }
    if (end === undefined) return
    at = end
  }
}

export function findFirstBlock(gif: Buffer): number {
  return HEADER_BYTES + countTableBytes(gif[10] ?? 0)
}

function countTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

/** Each part of the content begins with its length; an empty one is the last. */
function findContentEnd(gif: Buffer, from: number): number | undefined {
  let at = from
  while (at < gif.length) {
    const length = gif[at]!
    at += 1 + length
    if (length === 0) return at
  }
  return undefined
}

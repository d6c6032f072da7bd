import { TIFF_VALUE_BYTES } from '../../../../tasks/formats/image-metadata/tiff-types.ts'

const OFFSET_TAGS = new Set([273, 288, 324])
const LONG = 4
const MAX_BYTES = 2 ** 32 - 1

/** Concatenates single-page TIFFs as libvips writes them, and links each page to the next. */
export function joinTiffs(files: readonly Buffer[]): Buffer {
  const parts: Buffer[] = []
  let length = 0
  let nextPointer = -1
  for (const file of files) {
    if (file.toString('latin1', 0, 2) !== 'II' || file.readUInt16LE(2) !== 42)
      throw new Error('not a little-endian classic TIFF')
    const moved = Buffer.from(file)
    const start = file.readUInt32LE(4)
    const end = shiftOffsets(moved, start, length)
    if (nextPointer >= 0) patchUint32(parts, nextPointer, start + length)
    nextPointer = end + length
    const padded = moved.length % 2 === 0 ? moved : Buffer.concat([moved, Buffer.alloc(1)])
    parts.push(padded)
    length += padded.length
    if (length > MAX_BYTES) throw new Error('the joined file exceeds the 4 GiB that a TIFF can address')
  }
  return Buffer.concat(parts)
}

/** Shifts every offset in a page's directory; returns the position of the pointer to the next page. */
function shiftOffsets(file: Buffer, start: number, by: number): number {
  const count = file.readUInt16LE(start)
  for (let index = 0; index < count; index++) {
    const field = start + 2 + index * 12
    const [tag, type, values] = [file.readUInt16LE(field), file.readUInt16LE(field + 2), file.readUInt32LE(field + 4)]
    const isOutOfLine = (TIFF_VALUE_BYTES[type] ?? 1) * values > 4
    const from = isOutOfLine ? file.readUInt32LE(field + 8) : field + 8
    if (OFFSET_TAGS.has(tag) && type === LONG) {
      for (let value = 0; value < values; value++) addToUint32(file, from + value * 4, by)
    }
    if (isOutOfLine) addToUint32(file, field + 8, by)
  }
  return start + 2 + count * 12
}

function addToUint32(file: Buffer, offset: number, by: number): void {
  file.writeUInt32LE(file.readUInt32LE(offset) + by, offset)
}

function patchUint32(parts: readonly Buffer[], offset: number, value: number): void {
  let start = 0
  for (const part of parts) {
    if (offset < start + part.length) {
      part.writeUInt32LE(value, offset - start)
      return
    }
    start += part.length
  }
}

/** Bytes of one value of each type of field, by the number of the type. */
const VALUE_BYTES: Record<number, number> = {
  1: 1,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  6: 1,
  7: 1,
  8: 2,
  9: 4,
  10: 8,
  11: 4,
  12: 8,
}
const PLACES = new Set([273, 288, 324])
const LONG = 4
const MOST_BYTES = 2 ** 32 - 1

/** Puts TIFFs of one page, as libvips writes them, behind each other, and leads from each page to the next. */
export function joinTiffs(files: readonly Buffer[]): Buffer {
  const parts: Buffer[] = []
  let length = 0
  let next = -1
  for (const file of files) {
    if (file.toString('latin1', 0, 2) !== 'II' || file.readUInt16LE(2) !== 42) throw new Error('not a small TIFF')
    const moved = Buffer.from(file)
    const start = file.readUInt32LE(4)
    const end = moveFields(moved, start, length)
    if (next >= 0) patch(parts, next, start + length)
    next = end + length
    const padded = moved.length % 2 === 0 ? moved : Buffer.concat([moved, Buffer.alloc(1)])
    parts.push(padded)
    length += padded.length
    if (length > MOST_BYTES) throw new Error('too long for a TIFF')
  }
  return Buffer.concat(parts)
}

/** Adds to every place that a page's fields name; gives where the place of the next page is kept. */
function moveFields(file: Buffer, start: number, by: number): number {
  const count = file.readUInt16LE(start)
  for (let index = 0; index < count; index++) {
    const at = start + 2 + index * 12
    const [tag, type, values] = [file.readUInt16LE(at), file.readUInt16LE(at + 2), file.readUInt32LE(at + 4)]
    const isElsewhere = (VALUE_BYTES[type] ?? 1) * values > 4
    const from = isElsewhere ? file.readUInt32LE(at + 8) : at + 8
    if (PLACES.has(tag) && type === LONG) {
      for (let each = 0; each < values; each++) add(file, from + each * 4, by)
    }
    if (isElsewhere) add(file, at + 8, by)
  }
  return start + 2 + count * 12
}

function add(file: Buffer, at: number, by: number): void {
  file.writeUInt32LE(file.readUInt32LE(at) + by, at)
}

function patch(parts: readonly Buffer[], at: number, value: number): void {
  let start = 0
  for (const part of parts) {
    if (at < start + part.length) {
      part.writeUInt32LE(value, at - start)
      return
    }
    start += part.length
  }
}

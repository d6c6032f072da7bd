import { TIFF_VALUE_BYTES } from './tiff-types.ts'

const ENTRY_BYTES = 12
const MAX_DIRECTORIES = 2000
const MAX_ENTRIES = 4096

/** Tags whose values are the offsets of subdirectories. */
const EXIF = 34_665
const GPS = 34_853
const SUB_IMAGES = 330
const SUBDIRECTORY_TAGS = new Set([EXIF, GPS, 40_965, SUB_IMAGES])

interface TiffEdit {
  view: DataView
  isLittle: boolean
  isUnwanted(tag: number): boolean
  /** Called for every tag that is kept, with its value if that is stored outside the entry; may change it in place. */
  visit(tag: number, value: Uint8Array): void
  removed: Set<number>
  visited: Set<number>
}

/**
 * Removes tags from the directories of a TIFF, or of an EXIF block, which has the same format, without moving other data:
 * the remaining entries close up, and values of removed ones are overwritten with zeros. Returns the tags that were
 * removed. Throws a RangeError if the block is damaged.
 */
export function removeTags(
  block: Buffer,
  isUnwanted: TiffEdit['isUnwanted'],
  visit: TiffEdit['visit'] = () => undefined,
): Set<number> {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
  const isLittle = view.getUint16(0) === 0x4949
  if (view.getUint16(2, isLittle) !== 42) throw new RangeError('not a TIFF')
  const tiff: TiffEdit = { view, isLittle, isUnwanted, visit, removed: new Set(), visited: new Set() }
  editChain(tiff, view.getUint32(4, isLittle))
  return tiff.removed
}

function editChain(tiff: TiffEdit, first: number): void {
  let at = first
  while (at !== 0 && !tiff.visited.has(at)) {
    if (tiff.visited.size >= MAX_DIRECTORIES) throw new RangeError('too many directories')
    tiff.visited.add(at)
    at = editDirectory(tiff, at)
  }
}

/** Returns the offset of the next directory in the chain. */
function editDirectory(tiff: TiffEdit, at: number): number {
  const { view, isLittle } = tiff
  const count = view.getUint16(at, isLittle)
  if (count > MAX_ENTRIES) throw new RangeError('too many entries')
  const next = view.getUint32(at + 2 + count * ENTRY_BYTES, isLittle)
  const kept: Uint8Array[] = []
  for (let index = 0; index < count; index++) {
    const entry = at + 2 + index * ENTRY_BYTES
    if (editEntry(tiff, entry)) kept.push(sliceBytes(view, entry, ENTRY_BYTES).slice())
  }
  sliceBytes(view, at, 2 + count * ENTRY_BYTES + 4).fill(0)
  view.setUint16(at, kept.length, isLittle)
  for (const [index, entry] of kept.entries()) sliceBytes(view, at + 2 + index * ENTRY_BYTES, ENTRY_BYTES).set(entry)
  view.setUint32(at + 2 + kept.length * ENTRY_BYTES, next, isLittle)
  return next
}

/** Removes the entry's value, or visits it; returns whether the entry is kept. */
function editEntry(tiff: TiffEdit, entry: number): boolean {
  const { view, isLittle } = tiff
  const tag = view.getUint16(entry, isLittle)
  const isWanted = !tiff.isUnwanted(tag)
  const subdirectories = SUBDIRECTORY_TAGS.has(tag) ? readOffsets(tiff, entry) : []
  if (isWanted) {
    for (const offset of subdirectories) editChain(tiff, offset)
    tiff.visit(tag, readValue(tiff, entry))
  } else {
    tiff.removed.add(tag)
    for (const offset of subdirectories) editChain({ ...tiff, isUnwanted: () => true, removed: new Set() }, offset)
    readValue(tiff, entry).fill(0)
  }
  return isWanted
}

function readOffsets({ view, isLittle }: TiffEdit, entry: number): number[] {
  const count = Math.min(MAX_DIRECTORIES, view.getUint32(entry + 4, isLittle))
  const from = count > 1 ? view.getUint32(entry + 8, isLittle) : entry + 8
  return Array.from({ length: count }, (_, index) => view.getUint32(from + index * 4, isLittle))
}

/** Empty if the value fits into the entry itself. */
function readValue({ view, isLittle }: TiffEdit, entry: number): Uint8Array {
  const length = (TIFF_VALUE_BYTES[view.getUint16(entry + 2, isLittle)] ?? 1) * view.getUint32(entry + 4, isLittle)
  return length > 4 ? sliceBytes(view, view.getUint32(entry + 8, isLittle), length) : new Uint8Array()
}

function sliceBytes({ buffer, byteOffset, byteLength }: DataView, from: number, length: number): Uint8Array {
  if (from + length > byteLength) throw new RangeError('cut off')
  return new Uint8Array(buffer, byteOffset + from, length)
}

const ENTRY_BYTES = 12
const MOST_DIRECTORIES = 2000
const MOST_ENTRIES = 4096
const SIZES: Record<number, number> = {
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
  13: 4,
}

/** Tags whose values are places of directories below. */
const EXIF = 34_665
const GPS = 34_853
const FURTHER_PICTURES = 330
const BELOW = new Set([EXIF, GPS, 40_965, FURTHER_PICTURES])

interface Tiff {
  view: DataView
  isLittle: boolean
  isUnwanted(tag: number): boolean
  /** Sees the value of every tag that stays and has its value elsewhere, and may change it where it stands. */
  look(tag: number, value: Uint8Array): void
  removed: Set<number>
  seen: Set<number>
}

/**
 * Takes tags out of the directories of a TIFF or of an EXIF block, which is one, without moving anything else: entries
 * close up, and what they pointed at is overwritten with zeros. Gives the tags that were there. Throws RangeError
 * where the block is damaged.
 */
export function removeTags(
  block: Buffer,
  isUnwanted: Tiff['isUnwanted'],
  look: Tiff['look'] = () => undefined,
): Set<number> {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
  const isLittle = view.getUint16(0) === 0x4949
  if (view.getUint16(2, isLittle) !== 42) throw new RangeError('not a TIFF')
  const tiff: Tiff = { view, isLittle, isUnwanted, look, removed: new Set(), seen: new Set() }
  editChain(tiff, view.getUint32(4, isLittle))
  return tiff.removed
}

function editChain(tiff: Tiff, first: number): void {
  let at = first
  while (at !== 0 && !tiff.seen.has(at)) {
    if (tiff.seen.size >= MOST_DIRECTORIES) throw new RangeError('too many directories')
    tiff.seen.add(at)
    at = editDirectory(tiff, at)
  }
}

/** Gives the place of the next directory of the chain. */
function editDirectory(tiff: Tiff, at: number): number {
  const { view, isLittle } = tiff
  const count = view.getUint16(at, isLittle)
  if (count > MOST_ENTRIES) throw new RangeError('too many entries')
  const next = view.getUint32(at + 2 + count * ENTRY_BYTES, isLittle)
  const kept: Uint8Array[] = []
  for (let index = 0; index < count; index++) {
    const entry = at + 2 + index * ENTRY_BYTES
    if (stays(tiff, entry)) kept.push(bytesAt(view, entry, ENTRY_BYTES).slice())
  }
  bytesAt(view, at, 2 + count * ENTRY_BYTES + 4).fill(0)
  view.setUint16(at, kept.length, isLittle)
  for (const [index, entry] of kept.entries()) bytesAt(view, at + 2 + index * ENTRY_BYTES, ENTRY_BYTES).set(entry)
  view.setUint32(at + 2 + kept.length * ENTRY_BYTES, next, isLittle)
  return next
}

function stays(tiff: Tiff, entry: number): boolean {
  const { view, isLittle } = tiff
  const tag = view.getUint16(entry, isLittle)
  const isWanted = !tiff.isUnwanted(tag)
  const below = BELOW.has(tag) ? valuesOf(tiff, entry) : []
  if (isWanted) {
    for (const place of below) editChain(tiff, place)
    tiff.look(tag, valueAt(tiff, entry))
  } else {
    tiff.removed.add(tag)
    for (const place of below) editChain({ ...tiff, isUnwanted: () => true, removed: new Set() }, place)
    valueAt(tiff, entry).fill(0)
  }
  return isWanted
}

function valuesOf({ view, isLittle }: Tiff, entry: number): number[] {
  const count = Math.min(MOST_DIRECTORIES, view.getUint32(entry + 4, isLittle))
  const from = count > 1 ? view.getUint32(entry + 8, isLittle) : entry + 8
  return Array.from({ length: count }, (_, index) => view.getUint32(from + index * 4, isLittle))
}

/** Nothing where it has room in the entry itself. */
function valueAt({ view, isLittle }: Tiff, entry: number): Uint8Array {
  const length = (SIZES[view.getUint16(entry + 2, isLittle)] ?? 1) * view.getUint32(entry + 4, isLittle)
  return length > 4 ? bytesAt(view, view.getUint32(entry + 8, isLittle), length) : new Uint8Array()
}

function bytesAt({ buffer, byteOffset, byteLength }: DataView, from: number, length: number): Uint8Array {
  if (from + length > byteLength) throw new RangeError('cut off')
  return new Uint8Array(buffer, byteOffset + from, length)
}

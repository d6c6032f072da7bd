import { readTags } from './exif.ts'
import { removeLocation, removeXmpLocation, type StripState } from './strip-gps.ts'

interface Box {
  type: string
  /** Start of its content. */
  from: number
  end: number
  start: number
}

interface Item {
  type: string
  contentType: string
}

interface Extent {
  from: number
  length: number
}

const XMP = 'application/rdf+xml'
/** An EXIF block without entries, preceded by its offset field. */
const EMPTY_EXIF = Buffer.from('000000004d4d002a000000080000000000000000', 'hex')

const EMPTY_XMP = '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'

/** HEIC and AVIF boxes contain absolute offsets, so nothing may move: removed data is overwritten in place. */
export function stripIsobmff(file: Buffer, state: StripState): Buffer {
  const result = Buffer.from(file)
  const top = readBoxes(result, 0, result.length)
  for (const box of top)
    if (box.type === 'uuid' || box.type === 'jumb' || box.type === 'mpvd') blankBox(result, box, state)
  const meta = top.find(({ type }) => type === 'meta')
  if (!meta) throw new RangeError('no meta box')
  const inside = readBoxes(result, meta.from + 4, meta.end)
  const items = readItems(result, inside)
  const extentsById = readExtents(result, inside)
  for (const [id, item] of items) stripItem(result, item, extentsById.get(id) ?? [], state)
  if (!state.isOnlyGps && !state.keep.has('icc')) blankProfiles(result, inside, state)
  return result
}

function readBoxes(file: Buffer, from: number, end: number): Box[] {
  const boxes: Box[] = []
  for (let at = from; at + 8 <= end; ) {
    const short = file.readUInt32BE(at)
    const isLong = short === 1
    const length = isLong ? Number(file.readBigUInt64BE(at + 8)) : short === 0 ? end - at : short
    if (length < 8 || at + length > end) throw new RangeError('cut off')
    const type = file.toString('latin1', at + 4, at + 8)
    boxes.push({ type, start: at, from: at + (isLong ? 16 : 8), end: at + length })
    at += length
  }
  return boxes
}

/** Turns a box into a `free` box of zeros, which readers skip. */
function blankBox(file: Buffer, { type, start, from, end }: Box, state: StripState): void {
  file.write('free', start + 4, 'latin1')
  file.fill(0, from, end)
  state.removed.add(type === 'mpvd' ? 'trailing' : 'c2pa')
}

function readItems(file: Buffer, boxes: readonly Box[]): Map<number, Item> {
  const items = new Map<number, Item>()
  const list = boxes.find(({ type }) => type === 'iinf')
  if (!list) return items
  const head = file.readUInt8(list.from) === 0 ? 6 : 8
  for (const { from, end } of readBoxes(file, list.from + head, list.end)) {
    const isWide = file.readUInt8(from) === 3
    const id = isWide ? file.readUInt32BE(from + 4) : file.readUInt16BE(from + 4)
    const at = from + (isWide ? 10 : 8)
    const [, contentType = ''] = file.toString('latin1', at + 4, end).split('\0')
    items.set(id, { type: file.toString('latin1', at, at + 4), contentType })
  }
  return items
}

/** The positions of each item's bytes in the file. */
function readExtents(file: Buffer, boxes: readonly Box[]): Map<number, Extent[]> {
  const box = boxes.find(({ type }) => type === 'iloc')
  const extentsById = new Map<number, Extent[]>()
  if (!box) return extentsById
  const inner = boxes.find(({ type }) => type === 'idat')?.from ?? 0
  const read = createReader(file, box.from)
  const version = read(1)
  read(3)
  const [sizes, more] = [read(1), read(1)]
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 4, sizes & 15, more >> 4]
  const indexBytes = version > 0 ? more & 15 : 0
  const idBytes = version === 2 ? 4 : 2
  for (let left = read(idBytes); left > 0; left--) {
    const id = read(idBytes)
    const isInside = version > 0 && (read(2) & 15) === 1
    read(2)
    const base = read(baseBytes) + (isInside ? inner : 0)
    const extents = Array.from({ length: read(2) }, () => {
      read(indexBytes)
      return { from: base + read(offsetBytes), length: read(lengthBytes) }
    })
    extentsById.set(id, extents)
  }
  return extentsById
}

function createReader(file: Buffer, start: number): (bytes: number) => number {
  let at = start
  return bytes => {
    at += bytes
    if (bytes === 8) return Number(file.readBigUInt64BE(at - 8))
    return bytes === 0 ? 0 : file.readUIntBE(at - bytes, bytes)
  }
}

function stripItem(file: Buffer, { type, contentType }: Item, extents: readonly Extent[], state: StripState): void {
  const isXmp = type === 'mime' && contentType === XMP
  if (type !== 'Exif' && !isXmp) return
  const whole = Buffer.concat(extents.map(({ from, length }) => sliceChecked(file, from, length)))
  const result = isXmp ? stripXmp(whole, state) : stripExif(whole, state)
  let done = 0
  for (const { from, length } of extents) {
    result.copy(file, from, done, done + length)
    done += length
  }
}

function sliceChecked(file: Buffer, from: number, length: number): Buffer {
  if (from + length > file.length) throw new RangeError('cut off')
  return file.subarray(from, from + length)
}

function stripXmp(xmp: Buffer, state: StripState): Buffer {
  if (state.isOnlyGps) return removeXmpLocation(xmp, state)
  state.removed.add('xmp')
  return Buffer.from(EMPTY_XMP.padEnd(xmp.length).slice(0, xmp.length), 'latin1')
}

/** The orientation is stored in separate boxes, so the EXIF block is not needed to display the image. */
function stripExif(block: Buffer, state: StripState): Buffer {
  const start = Math.min(block.length, 4 + (block.length >= 4 ? block.readUInt32BE(0) : 0))
  const inner = block.subarray(start)
  if (state.isOnlyGps) return Buffer.concat([block.subarray(0, start), removeLocation(inner, state)])
  const tags = readTags(inner)
  state.removed.add('exif')
  if (tags.GPSLatitude !== undefined || tags.GPSLongitude !== undefined) {
    state.hadGps = true
    state.removed.add('gps')
  }
  return Buffer.concat([EMPTY_EXIF, Buffer.alloc(block.length)]).subarray(0, block.length)
}

/** Images refer to properties by number, so the box of a profile must stay, but its content need not. */
function blankProfiles(file: Buffer, boxes: readonly Box[], state: StripState): void {
  const properties = boxes.find(({ type }) => type === 'iprp')
  const list = properties && readBoxes(file, properties.from, properties.end).find(({ type }) => type === 'ipco')
  if (!list) return
  for (const { type, start, from, end } of readBoxes(file, list.from, list.end)) {
    if (type !== 'colr' || !['prof', 'rICC'].includes(file.toString('latin1', from, from + 4))) continue
    file.write('free', start + 4, 'latin1')
    file.fill(0, from, end)
    state.removed.add('icc')
  }
}

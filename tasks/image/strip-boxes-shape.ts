import { tagsIn } from './exif-shape.ts'
import type { Work } from './strip-exif-shape.ts'
import { withoutPlace, withoutPlaceInXmp } from './strip-place-shape.ts'

interface Box {
  type: string
  /** Of its content. */
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
/** An EXIF block without entries, behind the length that stands before it in these files. */
const NO_EXIF = Buffer.from('000000004d4d002a000000080000000000000000', 'hex')

const NO_XMP = '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'

/** HEIC and AVIF are boxes with places in them: nothing may move, so what goes is overwritten where it stands. */
export function stripBoxes(file: Buffer, work: Work): Buffer {
  const made = Buffer.from(file)
  const top = boxesIn(made, 0, made.length)
  for (const box of top) if (box.type === 'uuid' || box.type === 'jumb' || box.type === 'mpvd') empty(made, box, work)
  const meta = top.find(({ type }) => type === 'meta')
  if (!meta) throw new RangeError('no meta box')
  const inside = boxesIn(made, meta.from + 4, meta.end)
  const items = itemsIn(made, inside)
  const places = placesIn(made, inside)
  for (const [id, item] of items) stripItem(made, item, places.get(id) ?? [], work)
  if (!work.isOnlyGps && !work.keep.has('icc')) dropProfiles(made, inside, work)
  return made
}

function boxesIn(file: Buffer, from: number, end: number): Box[] {
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

/** A box that readers pass over, with nothing in it. */
function empty(file: Buffer, { type, start, from, end }: Box, work: Work): void {
  file.write('free', start + 4, 'latin1')
  file.fill(0, from, end)
  work.removed.add(type === 'mpvd' ? 'trailing' : 'c2pa')
}

function itemsIn(file: Buffer, boxes: readonly Box[]): Map<number, Item> {
  const items = new Map<number, Item>()
  const list = boxes.find(({ type }) => type === 'iinf')
  if (!list) return items
  const head = file.readUInt8(list.from) === 0 ? 6 : 8
  for (const { from, end } of boxesIn(file, list.from + head, list.end)) {
    const isWide = file.readUInt8(from) === 3
    const id = isWide ? file.readUInt32BE(from + 4) : file.readUInt16BE(from + 4)
    const at = from + (isWide ? 10 : 8)
    const [, contentType = ''] = file.toString('latin1', at + 4, end).split('\0')
    items.set(id, { type: file.toString('latin1', at, at + 4), contentType })
  }
  return items
}

/** Where the bytes of each item lie in the file. */
function placesIn(file: Buffer, boxes: readonly Box[]): Map<number, Extent[]> {
  const box = boxes.find(({ type }) => type === 'iloc')
  const places = new Map<number, Extent[]>()
  if (!box) return places
  const inner = boxes.find(({ type }) => type === 'idat')?.from ?? 0
  const read = reader(file, box.from)
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
    places.set(id, extents)
  }
  return places
}

function reader(file: Buffer, start: number): (bytes: number) => number {
  let at = start
  return bytes => {
    at += bytes
    if (bytes === 8) return Number(file.readBigUInt64BE(at - 8))
    return bytes === 0 ? 0 : file.readUIntBE(at - bytes, bytes)
  }
}

function stripItem(file: Buffer, { type, contentType }: Item, extents: readonly Extent[], work: Work): void {
  const isXmp = type === 'mime' && contentType === XMP
  if (type !== 'Exif' && !isXmp) return
  const whole = Buffer.concat(extents.map(({ from, length }) => partOf(file, from, length)))
  const made = isXmp ? xmpLeft(whole, work) : exifLeft(whole, work)
  let done = 0
  for (const { from, length } of extents) {
    made.copy(file, from, done, done + length)
    done += length
  }
}

function partOf(file: Buffer, from: number, length: number): Buffer {
  if (from + length > file.length) throw new RangeError('cut off')
  return file.subarray(from, from + length)
}

function xmpLeft(xmp: Buffer, work: Work): Buffer {
  if (work.isOnlyGps) return withoutPlaceInXmp(xmp, work)
  work.removed.add('xmp')
  return Buffer.from(NO_XMP.padEnd(xmp.length).slice(0, xmp.length), 'latin1')
}

/** How the picture is turned stands in boxes of its own, so that nothing of the block is needed to show it. */
function exifLeft(block: Buffer, work: Work): Buffer {
  const start = Math.min(block.length, 4 + (block.length >= 4 ? block.readUInt32BE(0) : 0))
  const inner = block.subarray(start)
  if (work.isOnlyGps) return Buffer.concat([block.subarray(0, start), withoutPlace(inner, work)])
  const tags = tagsIn(inner)
  work.removed.add('exif')
  if (tags.GPSLatitude !== undefined || tags.GPSLongitude !== undefined) {
    work.hadGps = true
    work.removed.add('gps')
  }
  return Buffer.concat([NO_EXIF, Buffer.alloc(block.length)]).subarray(0, block.length)
}

/** A profile is a property that pictures point at by number: its place has to stay, its content does not. */
function dropProfiles(file: Buffer, boxes: readonly Box[], work: Work): void {
  const properties = boxes.find(({ type }) => type === 'iprp')
  const list = properties && boxesIn(file, properties.from, properties.end).find(({ type }) => type === 'ipco')
  if (!list) return
  for (const { type, start, from, end } of boxesIn(file, list.from, list.end)) {
    if (type !== 'colr' || !['prof', 'rICC'].includes(file.toString('latin1', from, from + 4))) continue
    file.write('free', start + 4, 'latin1')
    file.fill(0, from, end)
    work.removed.add('icc')
  }
}

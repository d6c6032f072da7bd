import { inflateSync } from 'node:zlib'
import { OsmParseError, type OsmVisitor, type Tags } from './element.ts'
import { MessageReader } from './protobuf.ts'

/** The limits that the format itself sets. */
const MAX_HEADER_BYTES = 64 * 1024
const MAX_BLOCK_BYTES = 32 * 2 ** 20
const KNOWN_FEATURES = ['OsmSchema-V0.6', 'DenseNodes', 'HistoricalInformation']

interface PbfBlock {
  kind: string
  /** Compressed as in the file. */
  blob: Uint8Array
  /** Where the block ends in the file. */
  end: number
}

/** Cuts a file, or its rest from a block on, into blocks. */
export async function* readBlocks(chunks: AsyncIterable<Uint8Array>, start = 0): AsyncGenerator<PbfBlock> {
  let [rest, at] = [Buffer.alloc(0), start]
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk])
    let read = 0
    for (let block = cutBlock(rest, 0); block; block = cutBlock(rest, read)) {
      read = block.end
      yield { ...block, end: at + read }
    }
    at += read
    rest = rest.subarray(read)
  }
  if (rest.length > 0) throw new OsmParseError('the file ends within a block')
}

function cutBlock(bytes: Buffer, start: number): PbfBlock | undefined {
  if (bytes.length < start + 4) return undefined
  const headerBytes = bytes.readUInt32BE(start)
  if (headerBytes > MAX_HEADER_BYTES) throw new OsmParseError('this is no file of OpenStreetMap in the PBF format')
  const headerEnd = start + 4 + headerBytes
  if (bytes.length < headerEnd) return undefined
  const header = new MessageReader(bytes, start + 4, headerEnd)
  let [kind, size] = ['', 0]
  for (let field = header.next(); field > 0; field = header.next()) {
    if (field === 1) kind = toText(header.bytes())
    else if (field === 3) size = header.varint()
    else header.skip()
  }
  if (size > MAX_BLOCK_BYTES) throw new OsmParseError('a block is larger than the format allows')
  const end = headerEnd + size
  return bytes.length < end ? undefined : { kind, blob: bytes.subarray(headerEnd, end), end }
}

/** Reads a block of elements, or checks the block at the head of the file. */
export function visitBlock({ kind, blob }: PbfBlock, visitor: OsmVisitor): void {
  if (kind === 'OSMHeader') checkHeader(unpack(blob))
  else if (kind === 'OSMData') visitElements(unpack(blob), visitor)
}

function unpack(blob: Uint8Array): Uint8Array {
  const reader = new MessageReader(blob)
  for (let field = reader.next(); field > 0; field = reader.next()) {
    if (field === 1) return reader.bytes()
    if (field === 3) return inflate(reader.bytes())
    if (field > 3) throw new OsmParseError('a block is compressed otherwise than with zlib')
    reader.skip()
  }
  throw new OsmParseError('a block has no content')
}

function inflate(bytes: Uint8Array): Uint8Array {
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_BLOCK_BYTES })
  } catch {
    throw new OsmParseError('a block cannot be decompressed')
  }
}

function checkHeader(bytes: Uint8Array): void {
  const reader = new MessageReader(bytes)
  for (let field = reader.next(); field > 0; field = reader.next()) {
    if (field !== 4) reader.skip()
    else {
      const feature = toText(reader.bytes())
      if (!KNOWN_FEATURES.includes(feature))
        throw new OsmParseError(`the file needs ${feature}, which is not supported`)
    }
  }
}

/** How the coordinates of a block are scaled: nanodegrees are `offset + granularity * value`. */
interface Scale {
  granularity: number
  latOffset: number
  lngOffset: number
}

/** The numbers of the fields that scale the coordinates. */
const SCALE_FIELDS: Readonly<Record<number, keyof Scale>> = { 17: 'granularity', 19: 'latOffset', 20: 'lngOffset' }

function visitElements(bytes: Uint8Array, visitor: OsmVisitor): void {
  const reader = new MessageReader(bytes)
  const scale: Scale = { granularity: 100, latOffset: 0, lngOffset: 0 }
  const groups: MessageReader[] = []
  let strings: Uint8Array[] = []
  for (let field = reader.next(); field > 0; field = reader.next()) {
    const scaled = SCALE_FIELDS[field]
    if (field === 1) strings = readStrings(reader.message())
    else if (field === 2) groups.push(reader.message())
    else if (scaled) scale[scaled] = reader.varint()
    else reader.skip()
  }
  for (const group of groups) visitGroup(group, strings, scale, visitor)
}

function readStrings(reader: MessageReader): Uint8Array[] {
  const strings: Uint8Array[] = []
  while (reader.next() > 0) strings.push(reader.bytes())
  return strings
}

function visitGroup(group: MessageReader, strings: readonly Uint8Array[], scale: Scale, visitor: OsmVisitor): void {
  for (let field = group.next(); field > 0; field = group.next()) {
    if (field === 1 && visitor.node) visitNode(group.message(), scale, visitor.node)
    else if (field === 2 && visitor.node) visitDenseNodes(group.message(), scale, visitor.node)
    else if (field === 3 && visitor.way) visitWay(group.message(), strings, visitor.way)
    else group.skip()
  }
}

type VisitNode = NonNullable<OsmVisitor['node']>

function visitNode(reader: MessageReader, scale: Scale, visit: VisitNode): void {
  let [id, lat, lng] = [0, 0, 0]
  for (let field = reader.next(); field > 0; field = reader.next()) {
    if (field === 1) id = reader.signed()
    else if (field === 8) lat = reader.signed()
    else if (field === 9) lng = reader.signed()
    else reader.skip()
  }
  visitScaled(id, lat, lng, scale, visit)
}

/** Ids and coordinates are three lists of differences. */
function visitDenseNodes(reader: MessageReader, scale: Scale, visit: VisitNode): void {
  const lists: Record<number, MessageReader> = {}
  for (let field = reader.next(); field > 0; field = reader.next()) {
    if (field === 1 || field === 8 || field === 9) lists[field] = reader.message()
    else reader.skip()
  }
  const { 1: ids, 8: lats, 9: lngs } = lists
  if (!ids || !lats || !lngs) return
  let [id, lat, lng] = [0, 0, 0]
  while (ids.hasMore()) {
    id += ids.signed()
    lat += lats.signed()
    lng += lngs.signed()
    visitScaled(id, lat, lng, scale, visit)
  }
}

function visitScaled(id: number, lat: number, lng: number, scale: Scale, visit: VisitNode): void {
  const { granularity, latOffset, lngOffset } = scale
  visit(id, (latOffset + granularity * lat) / 1e9, (lngOffset + granularity * lng) / 1e9)
}

function visitWay(reader: MessageReader, strings: readonly Uint8Array[], visit: NonNullable<OsmVisitor['way']>): void {
  const [keys, values, nodes]: number[][] = [[], [], []]
  for (let field = reader.next(); field > 0; field = reader.next()) {
    if (field === 2) readPacked(reader.message(), keys!)
    else if (field === 3) readPacked(reader.message(), values!)
    else if (field === 8) readDifferences(reader.message(), nodes!)
    else reader.skip()
  }
  const text = (index: number | undefined) => toText(strings[index ?? 0] ?? new Uint8Array())
  const tags: Tags = Object.fromEntries(keys!.map((key, index) => [text(key), text(values![index])]))
  visit({ tags, nodes: nodes! })
}

function readPacked(reader: MessageReader, into: number[]): void {
  while (reader.hasMore()) into.push(reader.varint())
}

function readDifferences(reader: MessageReader, into: number[]): void {
  let id = 0
  while (reader.hasMore()) {
    id += reader.signed()
    into.push(id)
  }
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

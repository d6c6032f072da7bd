import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { OsmParseError, type OsmVisitor } from '../../../tasks/formats/osm/element.ts'
import { readBlocks, visitBlock } from '../../../tasks/formats/osm/pbf.ts'
import { OsmXmlReader } from '../../../tasks/formats/osm/xml.ts'

export type ExtractFormat = 'pbf' | 'xml' | 'xml.gz'

const CHUNK_BYTES = 2 ** 20

/** Tells by its first bytes what a file is. */
export async function detectFormat(path: string): Promise<ExtractFormat> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0)
    const head = buffer.subarray(0, bytesRead)
    if (head.includes('OSMHeader')) return 'pbf'
    if (head[0] === 0x1f && head[1] === 0x8b) return 'xml.gz'
    if (/^\uFEFF?\s*<(\?xml|osm)/.test(head.toString('utf8'))) return 'xml'
  } finally {
    await file.close()
  }
  throw new OsmParseError('this is neither PBF nor XML of OpenStreetMap; decompress a .bz2 first')
}

/**
 * Visits what comes after `position`, and reports positions at which a later run can go on: in PBF bytes of the file, in XML
 * the number of elements that were visited.
 */
export async function readExtract(
  { path, format, position }: { path: string; format: ExtractFormat; position: number },
  visitor: OsmVisitor,
  reached: (position: number) => Promise<void>,
): Promise<void> {
  if (format !== 'pbf') return readXml({ path, format, position }, visitor, reached)
  const stream = createReadStream(path, { highWaterMark: CHUNK_BYTES, start: position })
  for await (const block of readBlocks(stream, position)) {
    visitBlock(block, visitor)
    await reached(block.end)
  }
}

async function readXml(
  { path, format, position }: { path: string; format: ExtractFormat; position: number },
  visitor: OsmVisitor,
  reached: (position: number) => Promise<void>,
): Promise<void> {
  let visited = 0
  const isNew = () => ++visited > position
  const reader = new OsmXmlReader({
    ...(visitor.way && { way: way => (isNew() ? visitor.way!(way) : undefined) }),
    ...(visitor.node && { node: (id, lat, lng) => (isNew() ? visitor.node!(id, lat, lng) : undefined) }),
  })
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  const stream = format === 'xml' ? file : pipeline(file, createGunzip(), () => undefined)
  const decoder = new TextDecoder()
  for await (const chunk of stream) {
    reader.write(decoder.decode(chunk as Uint8Array, { stream: true }))
    if (visited > position) await reached(visited)
  }
  reader.end()
}

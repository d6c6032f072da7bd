import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { OsmVisitor } from '../../../../tasks/formats/osm/element.ts'
import { readBlocks, visitBlock } from '../../../../tasks/formats/osm/pbf.ts'
import { OsmXmlReader } from '../../../../tasks/formats/osm/xml.ts'
import { ROOT } from '../../../support/house/files.ts'

const sample = (name: string) => readFile(join(ROOT, 'tasks/samples', name))

function collect() {
  const found = { ways: [] as object[], nodes: [] as number[][] }
  const visitor: OsmVisitor = {
    way: way => void found.ways.push(way),
    node: (...node) => void found.nodes.push(node.map(part => Math.round(part * 1e7) / 1e7)),
  }
  return { found, visitor }
}

function readXml(text: string, step = text.length) {
  const { found, visitor } = collect()
  const reader = new OsmXmlReader(visitor)
  for (let at = 0; at < text.length; at += step) reader.write(text.slice(at, at + step))
  reader.end()
  return found
}

async function* cut(bytes: Uint8Array, step: number) {
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
}

async function readPbf(bytes: Uint8Array, step = bytes.length) {
  const { found, visitor } = collect()
  for await (const block of readBlocks(cut(bytes, step))) visitBlock(block, visitor)
  return found
}

test('a PBF that osmium has made and the XML it was made from are the same, however they arrive', async () => {
  const [xml, pbf] = [(await sample('town.osm')).toString(), await sample('town.osm.pbf')]
  const found = readXml(xml)
  expect(found.nodes).toHaveLength(31)
  expect(found.ways[3]).toEqual({
    nodes: [13, 14, 15, 16],
    tags: { highway: 'residential', name: 'Fourth Street & Square' },
  })
  expect(readXml(xml, 7)).toEqual(found)
  expect(await readPbf(pbf)).toEqual(found)
  expect(await readPbf(pbf, 11)).toEqual(found)
})

test('XML: quotes, entities, comments and deleted nodes', () => {
  const text =
    "<osm><!-- <node id='9' lat='1' lon='1'/> --><node id='1' lat='-0.5' lon=\"179.9999999\"/><node id='2' visible='false'/>" +
    '<way id="3"><nd ref="1"/><nd ref="12345678901"/><tag k="name" v="a &gt; b > c &#x41;&#66;&unknown; \'d\'"/></way><way id="4"/></osm>'
  expect(readXml(text)).toEqual({
    nodes: [[1, -0.5, 179.9999999]],
    ways: [
      { nodes: [1, 12345678901], tags: { name: "a > b > c AB&unknown; 'd'" } },
      { nodes: [], tags: {} },
    ],
  })
})

test.each(['', '<osm><way id="1">', '<html><p>', '<osm><node id="1', 'plain text'])('XML: %s is refused', text => {
  expect(() => readXml(text)).toThrow(expect.objectContaining({ name: 'OsmParseError' }))
})

test('damaged and hostile PBFs are refused, without much memory', async () => {
  const good = await sample('town.osm.pbf')
  const refuses = (bytes: Uint8Array) => expect(readPbf(bytes)).rejects.toMatchObject({ name: 'OsmParseError' })
  await refuses(good.subarray(0, good.length - 5))
  await refuses(Buffer.from('this is no extract of anything'))
  await refuses(Buffer.from([0, 0, 0, 4, 0x0a, 0xff, 0xff, 0xff]))
  await refuses(frame('OSMData', field(3, Buffer.from('not zlib'))))
  await refuses(frame('OSMData', field(3, deflateSync(Buffer.alloc(40 * 2 ** 20)))))
  await refuses(frame('OSMData', field(4, Buffer.from('lzma'))))
  await refuses(frame('OSMHeader', field(1, field(4, Buffer.from('LocationsOnWays')))))
  await refuses(frame('OSMData', field(1, field(2, Buffer.from([0x1a, 0x05, 0x01])))))
  for (let at = 90; at < good.length; at += 23) {
    const broken = Buffer.from(good)
    broken[at]! ^= 0xff
    await readPbf(broken).catch((error: Error) => expect(error.name).toBe('OsmParseError'))
  }
})

/** A field of bytes of a message. */
function field(number: number, bytes: Uint8Array): Buffer {
  const size: number[] = []
  let rest = bytes.length
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) size.push((rest % 0x80) + 0x80)
  return Buffer.concat([Buffer.from([number * 8 + 2, ...size, rest]), bytes])
}

function frame(kind: string, blob: Buffer): Buffer {
  const size = field(3, Buffer.alloc(0))
  size[0] = 0x18
  const lengthField = Buffer.concat([Buffer.from([0x18]), field(1, blob).subarray(1, -blob.length)])
  const header = Buffer.concat([field(1, Buffer.from(kind)), lengthField])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(header.length)
  return Buffer.concat([length, header, blob])
}

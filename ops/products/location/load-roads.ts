import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { deflateSync, inflateSync } from 'node:zlib'
import type { Db } from '../../../sql/db.ts'
import {
  activateRoads,
  beginRoadLoad,
  type RoadProgress,
  readRoadParts,
  storeRoadPart,
} from '../../../sql/location/index.ts'
import { keepRoadTags, RoadCollection } from '../../../tasks/engines/roads/build/collect.ts'
import { buildGraph } from '../../../tasks/engines/roads/build/graph-builder.ts'
import { DEGREE, describeGraph, encodeGraph } from '../../../tasks/engines/roads/graph.ts'
import { isRoad } from '../../../tasks/engines/roads/kind.ts'
import type { OsmWay } from '../../../tasks/formats/osm/element.ts'
import { detectFormat, type ExtractFormat, readExtract } from './read-extract.ts'

const ATTRIBUTION = '© OpenStreetMap contributors, ODbL 1.0'
const PART_WAYS = 20_000
const PART_POINTS = 300_000
const PART_BYTES = 4 * 2 ** 20

interface RoadLoad {
  db: Db
  id: number
  path: string
  format: ExtractFormat
  progress: RoadProgress
  report(line: string): void
}

/**
 * Builds the road graph of an extract and makes it the current one. The file is read twice, first its roads, then the points
 * that those need; a load that breaks off goes on where it was. Building the graph itself starts again.
 */
export async function loadRoads(
  db: Db,
  path: string,
  { date, report = () => undefined }: { date: string; report?: (line: string) => void },
): Promise<{ nodes: number; edges: number }> {
  const format = await detectFormat(path)
  const facts = { file: basename(path), sizeBytes: (await stat(path)).size, attribution: ATTRIBUTION, date }
  const load: RoadLoad = { db, path, format, report, ...(await beginRoadLoad(db, facts)) }
  await storeWays(load)
  const roads = await readWays(load)
  if (roads.wayCount === 0) throw new RangeError('The file has no roads.')
  await placePoints(load, roads)
  const graph = buildGraph(roads, report)
  let parts = 0
  for (const bytes of encodeGraph(graph, PART_BYTES))
    await storeRoadPart(db, load.id, { kind: 'graph', at: parts++, bytes })
  await activateRoads(db, load.id, describeGraph(graph), parts)
  return { nodes: graph.lat.length, edges: graph.from.length }
}

async function storeWays(load: RoadLoad): Promise<void> {
  const { db, id, path, format, report } = load
  let { parts, position, isDone } = load.progress.ways ?? { parts: 0, position: 0, isDone: false }
  if (isDone) return
  let batch: OsmWay[] = []
  const store = async () => {
    const bytes = deflateSync(JSON.stringify(batch))
    await storeRoadPart(db, id, { kind: 'ways', at: parts++, bytes }, { ways: { parts, position, isDone } })
    batch = []
    report(`reading roads: ${position} ${format === 'pbf' ? 'bytes' : 'ways'}`)
  }
  const way = ({ tags, nodes }: OsmWay) => {
    if (isRoad(tags)) batch.push({ tags: keepRoadTags(tags), nodes })
  }
  await readExtract({ path, format, position }, { way }, async reached => {
    position = reached
    if (batch.length >= PART_WAYS) await store()
  })
  isDone = true
  await store()
}

async function readWays({ db, id }: RoadLoad): Promise<RoadCollection> {
  const roads = new RoadCollection()
  for await (const bytes of readRoadParts(db, id, 'ways'))
    for (const way of JSON.parse(inflateSync(bytes).toString()) as OsmWay[]) roads.addWay(way)
  roads.endWays()
  return roads
}

/** Points are stored as triples: the number of the point, its latitude and its longitude. */
async function placePoints(load: RoadLoad, roads: RoadCollection): Promise<void> {
  const { db, id, path, format, report } = load
  for await (const bytes of readRoadParts(db, id, 'points')) placeTriples(roads, bytes)
  let { parts, position, isDone } = load.progress.points ?? { parts: 0, position: 0, isDone: false }
  if (isDone) return
  let batch: number[] = []
  const store = async () => {
    const bytes = new Uint8Array(Int32Array.from(batch).buffer)
    await storeRoadPart(db, id, { kind: 'points', at: parts++, bytes }, { points: { parts, position, isDone } })
    placeTriples(roads, bytes)
    batch = []
    report(`reading points: ${position} ${format === 'pbf' ? 'bytes' : 'points'}`)
  }
  const node = (nodeId: number, lat: number, lng: number) => {
    const index = roads.find(nodeId)
    if (index >= 0 && Math.abs(lat) <= 90 && Math.abs(lng) <= 180)
      batch.push(index, Math.round(lat * DEGREE), Math.round(lng * DEGREE))
  }
  await readExtract({ path, format, position }, { node }, async reached => {
    position = reached
    if (batch.length >= PART_POINTS * 3) await store()
  })
  isDone = true
  await store()
}

function placeTriples(roads: RoadCollection, bytes: Uint8Array): void {
  // The driver's buffers begin anywhere in their memory.
  const triples = new Int32Array(bytes.slice().buffer)
  for (let at = 0; at < triples.length; at += 3) roads.place(triples[at]!, triples[at + 1]!, triples[at + 2]!)
}

import { join } from 'node:path'
import { readExtract } from '../../../ops/products/location/read-extract.ts'
import { keepRoadTags, RoadCollection } from '../../../tasks/engines/roads/build/collect.ts'
import { buildGraph } from '../../../tasks/engines/roads/build/graph-builder.ts'
import { DEGREE, type RoadGraph } from '../../../tasks/engines/roads/graph.ts'
import { isRoad } from '../../../tasks/engines/roads/kind.ts'
import type { OsmWay } from '../../../tasks/formats/osm/element.ts'
import { ROOT } from '../house/files.ts'

export const TOWN_FILE = join(ROOT, 'tasks/samples/town.osm.pbf')

/** The graph of the sample town, whose streets are 222 m and avenues 227 m apart. */
export async function buildTown(): Promise<RoadGraph> {
  const roads = new RoadCollection()
  const file = { path: TOWN_FILE, format: 'pbf', position: 0 } as const
  const way = ({ tags, nodes }: OsmWay) => {
    if (isRoad(tags)) roads.addWay({ tags: keepRoadTags(tags), nodes })
  }
  await readExtract(file, { way }, async () => undefined)
  roads.endWays()
  const node = (id: number, lat: number, lng: number) => {
    const index = roads.find(id)
    if (index >= 0) roads.place(index, Math.round(lat * DEGREE), Math.round(lng * DEGREE))
  }
  await readExtract(file, { node }, async () => undefined)
  return buildGraph(roads)
}

/** A crossing of the town: streets count from the south, avenues from the west. */
export function crossing(street: number, avenue: number): { lat: number; lng: number } {
  return { lat: 47.14 + (street - 1) * 0.002, lng: 9.52 + (avenue - 1) * 0.003 }
}

import type { RoadSource } from '../../../ops/providers/route/embedded.ts'
import type { Db } from '../../../sql/db.ts'
import { readCurrentRoads, readRoadParts } from '../../../sql/location/road-data.ts'
import { decodeGraph, type GraphManifest } from '../../../tasks/engines/roads/graph.ts'

/** The road graph that is stored in the database. */
export function createRoadSource(db: Db): RoadSource {
  return {
    currentId: async () => (await readCurrentRoads(db))?.id,
    load: async () => {
      const current = await readCurrentRoads(db)
      if (!current) return undefined
      const { id, attribution, date } = current
      const graph = await decodeGraph(current.manifest as GraphManifest, readRoadParts(db, id, 'graph'))
      return { id, attribution, date, graph }
    },
  }
}

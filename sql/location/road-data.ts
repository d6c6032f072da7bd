import { type Db, rows, value } from '../db.ts'

/** `ways` and `points` are what a load has read so far, `graph` is what it has built. */
type PartKind = 'ways' | 'points' | 'graph'

interface CurrentRoads {
  id: number
  attribution: string
  date: string
  manifest: unknown
}

/** What routes are planned on; null if no roads are loaded. */
export function readCurrentRoads(db: Db): Promise<CurrentRoads | null> {
  return value(db, 'select location.current_roads()')
}

/** How many parts of each kind are stored, and where in the file the reading goes on. */
export interface RoadProgress {
  ways?: ReadingProgress
  points?: ReadingProgress
}

interface ReadingProgress {
  parts: number
  position: number
  isDone: boolean
}

export function beginRoadLoad(
  db: Db,
  { file, sizeBytes, attribution, date }: { file: string; sizeBytes: number; attribution: string; date: string },
): Promise<{ id: number; progress: RoadProgress }> {
  return value(db, 'select location.begin_roads_load($1, $2, $3, $4)', [file, sizeBytes, attribution, date])
}

export async function storeRoadPart(
  db: Db,
  id: number,
  part: { kind: PartKind; at: number; bytes: Uint8Array },
  progress: RoadProgress = {},
): Promise<void> {
  const { kind, at, bytes } = part
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  await rows(db, 'select location.store_roads($1, $2, $3, $4, $5)', [id, kind, at, buffer, JSON.stringify(progress)])
}

/** The parts of a kind, in order, until there is none. */
export async function* readRoadParts(db: Db, id: number, kind: PartKind): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; at++) {
    const bytes = await value<Uint8Array | null>(db, 'select location.road_part($1, $2, $3)', [id, kind, at])
    if (!bytes) return
    yield bytes
  }
}

export async function activateRoads(db: Db, id: number, manifest: unknown, parts: number): Promise<void> {
  await rows(db, 'select location.activate_roads($1, $2, $3)', [id, JSON.stringify(manifest), parts])
}

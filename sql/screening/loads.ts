import type {
  DroppedState,
  LoadFacts,
  LoadStore,
  LoadVerdict,
  SeenEntity,
} from '../../tasks/products/screening/load.ts'
import type { PreparedEntity } from '../../tasks/products/screening/prepare.ts'
import { type Db, value } from '../db.ts'

interface ListToLoad {
  key: string
  title: string
  families: readonly string[]
}

/** Begins to load a list, of which no load is left, and returns the id of its new version, which is not current yet. */
export function beginLoad(db: Db, list: ListToLoad, indexVersion: number): Promise<number> {
  return value(db, 'select screening.begin_load($1, $2)', [JSON.stringify(list), indexVersion])
}

/** Gives up the loads of a list that have not ended, and returns those of which there is something to drop. */
export function stopLoads(db: Db, list: string): Promise<number[]> {
  return value(db, 'select screening.stop_loads($1)', [list])
}

/** Removes some of the entries of a load that does not become current. Returns where to go on, or null after all. */
export function dropEntries(db: Db, version: number, after: bigint, limit: number): Promise<bigint | null> {
  return value(db, 'select screening.drop_entries($1, $2, $3)', [version, after, limit])
}

/** Removes some of what is noted of the file of a dropped load, and ends it with the last. Returns whether there is more. */
export function endDrop(db: Db, version: number, state: DroppedState, limit: number): Promise<boolean> {
  return value(db, 'select screening.end_drop($1, $2, $3)', [version, state, limit])
}

/** Notes entries of the file, and returns the ids of those that are new or have changed. */
export function noteSeen(db: Db, version: number, seen: readonly SeenEntity[]): Promise<string[]> {
  const facts = [
    seen.map(({ sourceId }) => sourceId),
    seen.map(({ hash }) => hash),
    seen.map(({ aliases }) => aliases),
    seen.map(({ identifiers }) => identifiers),
  ]
  return value(db, 'select screening.note_seen($1, $2, $3, $4, $5)', [version, ...facts])
}

export async function addEntities(
  db: Db,
  version: number,
  entities: readonly (PreparedEntity & { hash: string })[],
  keys: Readonly<Record<string, readonly number[]>>,
): Promise<void> {
  const values = [version, JSON.stringify(entities), JSON.stringify(keys)]
  await value(db, 'select screening.add_entities($1, $2, $3)', values)
}

/** Refuses a load with less than a share of the entries, aliases or identifiers of the last one, and gives up one that changes nothing. */
export function judgeLoad(db: Db, version: number, facts: LoadFacts, leastShare: number): Promise<LoadVerdict> {
  return value(db, 'select screening.judge_load($1, $2, $3)', [version, JSON.stringify(facts), leastShare])
}

/** Ends some of the entries that a load has not met. Returns where to go on, or null after all. */
export function endEntries(db: Db, version: number, after: bigint, limit: number): Promise<bigint | null> {
  return value(db, 'select screening.end_entries($1, $2, $3)', [version, after, limit])
}

/** Makes a load the current version, at once for everyone. */
export async function activate(db: Db, version: number, facts: LoadFacts): Promise<void> {
  await value(db, 'select screening.activate($1, $2)', [version, JSON.stringify(facts)])
}

/** Forgets all but the newest versions of a list, and some of what only those had. Returns whether there is more. */
export function clearList(db: Db, version: number, keep: number, limit: number): Promise<boolean> {
  return value(db, 'select screening.clear_list($1, $2, $3)', [version, keep, limit])
}

/** What stores the entries of a list in this database. */
export function openLoadStore(db: Db): LoadStore {
  return {
    stopLoads: list => stopLoads(db, list),
    dropEntries: (version, after, limit) => dropEntries(db, version, after, limit),
    endDrop: (version, state, limit) => endDrop(db, version, state, limit),
    beginLoad: (list, indexVersion) => beginLoad(db, list, indexVersion),
    noteSeen: (version, seen) => noteSeen(db, version, seen),
    addEntities: (version, entities, keys) => addEntities(db, version, entities, keys),
    judgeLoad: (version, facts, leastShare) => judgeLoad(db, version, facts, leastShare),
    endEntries: (version, after, limit) => endEntries(db, version, after, limit),
    activate: (version, facts) => activate(db, version, facts),
    clearList: (version, keep, limit) => clearList(db, version, keep, limit),
  }
}

/** Gives a load up because of its file, which the operator is told; it is then to be dropped. */
export async function failLoad(db: Db, version: number, failure: string): Promise<void> {
  await value(db, 'select screening.fail_load($1, $2)', [version, failure])
}

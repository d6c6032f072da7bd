import type { PreparedEntity } from '../../tasks/products/screening/prepare.ts'
import { type Db, value } from '../db.ts'

interface ListToLoad {
  key: string
  title: string
  families: readonly string[]
}

/** Begins to load a list and returns the id of its new version, which is not current yet. */
export function beginLoad(db: Db, list: ListToLoad, indexVersion: number): Promise<number> {
  return value(db, 'select screening.begin_load($1, $2)', [JSON.stringify(list), indexVersion])
}

/** Notes entries of the file, and returns the ids of those that are new or have changed. */
export function noteSeen(
  db: Db,
  version: number,
  seen: readonly { sourceId: string; hash: string }[],
): Promise<string[]> {
  const values = [version, seen.map(({ sourceId }) => sourceId), seen.map(({ hash }) => hash)]
  return value(db, 'select screening.note_seen($1, $2, $3)', values)
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

/** What stores the entries of a list in this database. */
export function openLoadStore(db: Db) {
  return {
    beginLoad: (list: ListToLoad, indexVersion: number) => beginLoad(db, list, indexVersion),
    noteSeen: (version: number, seen: Parameters<typeof noteSeen>[2]) => noteSeen(db, version, seen),
    addEntities: (
      version: number,
      entities: Parameters<typeof addEntities>[2],
      keys: Parameters<typeof addEntities>[3],
    ) => addEntities(db, version, entities, keys),
  }
}

interface LoadFacts {
  sha256: string
  etag?: string | undefined
  publishedAt?: string | undefined
}

interface Activation {
  state: 'active' | 'refused' | 'unchanged'
  entries: number
  before: number | null
}

/** Makes a load the current version, unless it has less than a share of the entries of the last one. */
export function activate(
  db: Db,
  version: number,
  facts: LoadFacts,
  { leastShare, keep }: { leastShare: number; keep: number },
): Promise<Activation> {
  const values = [version, JSON.stringify(facts), leastShare, keep]
  return value(db, 'select screening.activate($1, $2, $3, $4)', values)
}

/** Gives a load up because of its file, which the operator is told. */
export async function failLoad(db: Db, version: number, failure: string): Promise<void> {
  await value(db, 'select screening.fail_load($1, $2)', [version, failure])
}

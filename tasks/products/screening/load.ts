import type { ListedEntity } from './entity.ts'
import { collectKeys, hashEntry, INDEX_VERSION, type PreparedEntity, prepareEntity } from './prepare.ts'

/** What is known of a file once it was read. */
export interface LoadFacts {
  sha256: string
  etag?: string | undefined
  publishedAt?: string | undefined
}

export interface LoadVerdict {
  state: 'loading' | 'refused' | 'unchanged'
  entries: number
  before: number | null
}

/** How a load ends that does not become current. */
export type DroppedState = 'refused' | 'abandoned'

/** What is noted of an entry of the file, whether it is new or not. */
export interface SeenEntity {
  sourceId: string
  hash: string
  /** How many names it has beside the first. */
  aliases: number
  identifiers: number
}

/** How a load stores what it reads. */
export interface LoadStore {
  stopLoads(list: string): Promise<number[]>
  dropEntries(version: number, after: bigint, limit: number): Promise<bigint | null>
  endDrop(version: number, state: DroppedState, limit: number): Promise<boolean>
  beginLoad(list: { key: string; title: string; families: readonly string[] }, indexVersion: number): Promise<number>
  noteSeen(version: number, seen: readonly SeenEntity[]): Promise<string[]>
  addEntities(
    version: number,
    entities: readonly (PreparedEntity & { hash: string })[],
    keys: Readonly<Record<string, readonly number[]>>,
  ): Promise<void>
  judgeLoad(version: number, facts: LoadFacts, leastShare: number): Promise<LoadVerdict>
  endEntries(version: number, after: bigint, limit: number): Promise<bigint | null>
  activate(version: number, facts: LoadFacts): Promise<void>
  clearList(version: number, keep: number, limit: number): Promise<boolean>
}

const BATCH_ENTITIES = 500
/** Entries that one statement ends or removes, so that none takes long, however large the list is. */
const SWEPT_ENTITIES = 10_000

/**
 * Stores the entries of a file as a new version that is not current yet, and returns its id. What it costs follows from what
 * has changed since the current version.
 */
export async function storeEntities(
  store: LoadStore,
  list: Parameters<LoadStore['beginLoad']>[0],
  entities: AsyncIterable<ListedEntity> | Iterable<ListedEntity>,
  onBegin: (version: number) => void = () => undefined,
  indexVersion = INDEX_VERSION,
): Promise<number> {
  for (const left of await store.stopLoads(list.key)) await dropLoad(store, left, 'abandoned')
  const version = await store.beginLoad(list, indexVersion)
  onBegin(version)
  let batch: ListedEntity[] = []
  for await (const entity of entities) {
    if (batch.push(entity) < BATCH_ENTITIES) continue
    await storeBatch(store, version, batch, indexVersion)
    batch = []
  }
  await storeBatch(store, version, batch, indexVersion)
  return version
}

async function storeBatch(
  store: LoadStore,
  version: number,
  batch: readonly ListedEntity[],
  indexVersion: number,
): Promise<void> {
  if (batch.length === 0) return
  const hashed = new Map(batch.map(entity => [entity.sourceId, { entity, hash: hashEntry(entity, indexVersion) }]))
  const seen = [...hashed].map(
    ([
      sourceId,
      {
        hash,
        entity: { names, identifiers },
      },
    ]) => ({
      ...{ sourceId, hash, aliases: Math.max(0, names.length - 1), identifiers: identifiers.length },
    }),
  )
  const fresh = await store.noteSeen(version, seen)
  const prepared = fresh.map(sourceId => {
    const { entity, hash } = hashed.get(sourceId)!
    return { ...prepareEntity(entity), hash }
  })
  if (prepared.length > 0) await store.addEntities(version, prepared, collectKeys(prepared))
}

/** Removes what a load has stored that does not become current, in parts; where it is broken off, the next load goes on. */
export async function dropLoad(
  store: Pick<LoadStore, 'dropEntries' | 'endDrop'>,
  version: number,
  state: DroppedState,
): Promise<void> {
  let last: bigint | null = 0n
  do last = await store.dropEntries(version, last, SWEPT_ENTITIES)
  while (last !== null)
  while (await store.endDrop(version, state, SWEPT_ENTITIES));
}

type Readied = Omit<LoadVerdict, 'state'> & { state: 'ready' | 'refused' | 'unchanged' }

/** Makes a load ready for the swap, unless its file has lost too much or changes nothing. */
export async function readyLoad(
  store: LoadStore,
  version: number,
  facts: LoadFacts,
  leastShare: number,
): Promise<Readied> {
  const { state, ...counts } = await store.judgeLoad(version, facts, leastShare)
  if (state !== 'loading') {
    await dropLoad(store, version, state === 'refused' ? 'refused' : 'abandoned')
    return { state, ...counts }
  }
  let last: bigint | null = 0n
  do last = await store.endEntries(version, last, SWEPT_ENTITIES)
  while (last !== null)
  return { state: 'ready', ...counts }
}

/** Removes what only old versions of the list have. */
export async function clearOld(store: Pick<LoadStore, 'clearList'>, version: number, keep: number): Promise<void> {
  while (await store.clearList(version, keep, SWEPT_ENTITIES));
}

/** Makes what was stored the current version, unless its file has lost too much or changes nothing. */
export async function activateLoad(
  store: LoadStore,
  version: number,
  facts: LoadFacts,
  { leastShare, keep }: { leastShare: number; keep: number },
): Promise<Omit<LoadVerdict, 'state'> & { state: 'active' | 'refused' | 'unchanged' }> {
  const { state, ...counts } = await readyLoad(store, version, facts, leastShare)
  if (state !== 'ready') return { state, ...counts }
  await store.activate(version, facts)
  await clearOld(store, version, keep)
  return { state: 'active', ...counts }
}

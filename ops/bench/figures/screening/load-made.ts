import { openLoadStore } from '../../../../sql/screening/index.ts'
import { activateLoad, type ListedEntity, storeEntities } from '../../../../tasks/products/screening/index.ts'
import type { Stack } from '../../stack.ts'

const LIST = { key: 'un_sc', title: 'Made entries', families: ['sanctions'] }

/** Loads entries as a refresh loads a list. */
export async function loadMade({ db }: Pick<Stack, 'db'>, entities: Iterable<ListedEntity>): Promise<void> {
  const store = openLoadStore(db)
  const version = await storeEntities(store, LIST, entities)
  await activateLoad(store, version, { sha256: 'made' }, { leastShare: 0, keep: 1 })
}

import { computeCharge, Problem } from '#kit'
import { findVersion, openLoadStore } from '../../../sql/screening/index.ts'
import { finishOwnLoad, type OwnLoadTerms, putOwnList } from '../../../sql/screening/own-lists.ts'
import {
  clearOld,
  hashEntity,
  type ListedEntity,
  readyLoad,
  storeEntities,
} from '../../../tasks/products/screening/index.ts'
import type { EndingParts, WorkerContext } from '../../context.ts'

interface Plan {
  key: string
  isNew: boolean
}

/** Stores the entries of an upload before its job ends, and makes them current with its end (Decision 0430). */
export const loadOwnList: EndingParts = {
  async prepare(context, payload, outcome, tariff) {
    const { db, settings } = context
    const { accountId } = payload
    const { entities } = outcome.result as { entities: ListedEntity[] }
    const { warnings = [] } = outcome
    if (entities.length === 0) throw new Problem('INPUT_EMPTY', { field: 'file', warnings })
    const { key, isNew } = payload.delivery!.plan as Plan
    const { title } = payload.input as { title: string }
    await putOwnList(db, accountId, { key, title, isNew }, settings.get('screening.max_own_lists'))
    const sha256 = hashEntity(entities)
    const version = await load(context, { key, title }, entities, sha256)
    const result = {
      ...{ source: key, title, version: version ?? (await findVersion(db, accountId, key)) },
      ...{ entries: entities.length, unchanged: version === null },
      ...(warnings.length > 0 && { warnings }),
    }
    const terms: OwnLoadTerms = { version, sha256 }
    return { chargeMicros: computeCharge(tariff, outcome), result: JSON.stringify(result), terms }
  },

  async finish({ db, settings, log }, ending, success, { terms }) {
    const { version, sha256 } = terms as OwnLoadTerms
    const verdict = await finishOwnLoad(db, ending, success, { version, sha256 })
    if (verdict === 'ended' && version !== null)
      clearOld(openLoadStore(db), version, settings.get('screening.kept_versions')).catch((error: unknown) =>
        log.warn({ err: error, version }, 'old versions of a list were not removed'),
      )
    return verdict
  },
}

/** The version that is ready to be current; null if there is nothing new. */
async function load(
  { db }: WorkerContext,
  list: { key: string; title: string },
  entities: readonly ListedEntity[],
  sha256: string,
): Promise<number | null> {
  const store = openLoadStore(db)
  try {
    const version = await storeEntities(store, { ...list, families: ['custom'] }, entities)
    const { state } = await readyLoad(store, version, { sha256 }, 0)
    return state === 'ready' ? version : null
  } catch (error) {
    if (error instanceof Error && error.message.includes('another load of the list has begun'))
      throw new Problem('LIST_BUSY', { source: list.key })
    throw error
  }
}

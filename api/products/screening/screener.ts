import { setTimeout } from 'node:timers/promises'
import { Threads } from '../../../ops/threads.ts'
import type { Db } from '../../../sql/db.ts'
import {
  countEntries,
  findCandidates,
  findIdentified,
  findWords,
  listVersions,
  readEntities,
} from '../../../sql/screening/lists.ts'
import { openLoadStore } from '../../../sql/screening/loads.ts'
import type { ListedVersion } from '../../../tasks/products/screening/coverage.ts'
import { activateLoad, storeEntities } from '../../../tasks/products/screening/load.ts'
import type { Match } from '../../../tasks/products/screening/matching/score.ts'
import { type Lookups, type ScoringWork, searchSubject } from '../../../tasks/products/screening/matching/search.ts'
import { hashEntity } from '../../../tasks/products/screening/request.ts'
import { SAMPLE } from '../../../tasks/products/screening/sample/entities.ts'
import { SAMPLE_KEY, SAMPLE_LIST } from '../../../tasks/products/screening/sources.ts'
import type { MatchOptions, Subject } from '../../../tasks/products/screening/subject.ts'

const LIMIT_MS = 20_000

/** What the calls about screening share in this process: threads that compare, and the sample once it is stored. */
export class Screener {
  readonly #db: Db
  readonly #threads = new Threads<ScoringWork, Match[]>(new URL('score-thread.ts', import.meta.url))
  #sample: Promise<void> | undefined

  constructor(db: Db) {
    this.#db = db
  }

  /** The entries of these versions that a subject may be. */
  search(subject: Subject, options: MatchOptions, versions: readonly ListedVersion[]): Promise<Match[]> {
    const db = this.#db
    const searched = { lists: versions.map(({ listId }) => listId), versions: versions.map(({ version }) => version!) }
    const lookups: Lookups = {
      findWords: keys => findWords(db, keys, searched.lists),
      countEntries: words => countEntries(db, words),
      findCandidates: search => findCandidates(db, { ...search, ...searched }),
      findIdentified: (keys, limit) => findIdentified(db, { keys, limit, ...searched }),
      readEntities: ids => readEntities(db, ids),
      score: work => this.#threads.perform(work, AbortSignal.timeout(LIMIT_MS)),
    }
    return searchSubject(subject, options, countAll(versions), lookups)
  }

  /** Stores the sample, which is small, when it is first asked for. */
  storeSample(): Promise<void> {
    this.#sample ??= storeSampleOnce(this.#db).catch((error: unknown) => {
      this.#sample = undefined
      throw error
    })
    return this.#sample
  }

  close(): void {
    this.#threads.close()
  }
}

function countAll(versions: readonly ListedVersion[]): number {
  return versions.reduce((sum, { entries }) => sum + (entries ?? 0), 0)
}

const TRIES = 4
const PAUSE_MS = 300

/** Of several processes that begin at once, the last one wins and the others find what it has stored. */
async function storeSampleOnce(db: Db): Promise<void> {
  const sha256 = hashEntity(SAMPLE)
  for (let attempt = 1; ; attempt++) {
    const stored = (await listVersions(db, null)).find(({ key }) => key === SAMPLE_KEY)
    if (stored?.sha256 === sha256) return
    try {
      return await storeSample(db, sha256)
    } catch (error) {
      if (attempt === TRIES) throw error
      await setTimeout(PAUSE_MS)
    }
  }
}

async function storeSample(db: Db, sha256: string): Promise<void> {
  const store = openLoadStore(db)
  const version = await storeEntities(store, SAMPLE_LIST, SAMPLE)
  await activateLoad(store, version, { sha256 }, { leastShare: 0, keep: 1 })
}

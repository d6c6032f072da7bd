import { setTimeout } from 'node:timers/promises'
import { Threads } from '../../../ops/process/threads.ts'
import type { Db } from '../../../sql/db.ts'
import {
  countEntries,
  findIdentified,
  listPostings,
  listVersions,
  listWords,
  readBodies,
  readCompared,
} from '../../../sql/screening/lists.ts'
import { openLoadStore } from '../../../sql/screening/loads.ts'
import type { ListedVersion } from '../../../tasks/products/screening/coverage.ts'
import { activateLoad, storeEntities } from '../../../tasks/products/screening/load.ts'
import type { Match, ScoredEntry } from '../../../tasks/products/screening/matching/score.ts'
import { type Lookups, type ScoringWork, searchSubject } from '../../../tasks/products/screening/matching/search.ts'
import { WordIndex, type WordReads } from '../../../tasks/products/screening/matching/word-index.ts'
import { hashEntity } from '../../../tasks/products/screening/request.ts'
import { SAMPLE } from '../../../tasks/products/screening/sample/entities.ts'
import { SAMPLE_KEY, SAMPLE_LIST } from '../../../tasks/products/screening/sources.ts'
import type { MatchOptions, Subject } from '../../../tasks/products/screening/subject.ts'

const LIMIT_MS = 20_000
/** Most calls search the same versions; a new version, or a choice of lists, has an index of its own. */
const MAX_INDEXES = 3

/** What the calls about screening share in this process: threads that compare, words of public lists, and the sample once it is stored. */
export class Screener {
  readonly #db: Db
  readonly #threads = new Threads<ScoringWork, ScoredEntry[]>(new URL('score-thread.ts', import.meta.url))
  readonly #indexes = new Map<string, WordIndex>()
  #sample: Promise<void> | undefined

  constructor(db: Db) {
    this.#db = db
  }

  /** The entries of these versions that a subject may be. */
  search(subject: Subject, options: MatchOptions, versions: readonly ListedVersion[]): Promise<Match[]> {
    const db = this.#db
    const searched = { lists: versions.map(({ listId }) => listId), versions: versions.map(({ version }) => version!) }
    const lookups: Lookups = {
      indexes: this.#openIndexes(versions),
      countEntries: words => countEntries(db, words),
      findIdentified: (keys, limit) => findIdentified(db, { keys, limit, ...searched }),
      readCompared: asked => readCompared(db, { ...asked, ...searched }),
      readBodies: ids => readBodies(db, ids),
      score: work => this.#threads.perform(work, AbortSignal.timeout(LIMIT_MS)),
    }
    return searchSubject(subject, options, countAll(versions), lookups)
  }

  /** Uploaded lists are read anew by each search; there are many, and each is small. */
  #openIndexes(versions: readonly ListedVersion[]): WordIndex[] {
    const reads: WordReads = {
      listWords: (keys, lists) => listWords(this.#db, keys, lists),
      listPostings: words => listPostings(this.#db, words),
    }
    const own = versions.filter(({ isOwn }) => isOwn).map(({ listId }) => listId)
    return [this.#openListed(versions, reads), ...(own.length > 0 ? [new WordIndex(reads, own)] : [])]
  }

  #openListed(versions: readonly ListedVersion[], reads: WordReads): WordIndex {
    const listed = versions.filter(({ isOwn }) => !isOwn)
    const name = listed.map(({ version }) => version).join()
    const index = this.#indexes.get(name) ?? new WordIndex(reads, null)
    // The one that was used longest ago is first.
    this.#indexes.delete(name)
    this.#indexes.set(name, index)
    if (this.#indexes.size > MAX_INDEXES) this.#indexes.delete(this.#indexes.keys().next().value!)
    return index
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

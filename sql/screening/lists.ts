import type { ListedVersion } from '../../tasks/products/screening/coverage.ts'
import type { IndexedWord } from '../../tasks/products/screening/matching/candidates.ts'
import type { Candidate } from '../../tasks/products/screening/matching/score.ts'
import { type Db, value } from '../db.ts'

/** The lists that an account can screen against. Throws SCREENING_VERSION_UNKNOWN. */
export function listVersions(db: Db, accountId: string | null, asOf?: number): Promise<ListedVersion[]> {
  return value(db, 'select screening.list_versions($1, $2)', [accountId, asOf ?? null])
}

interface KeptVersion {
  listId: number
  version: number
  loadedAt: string
  publishedAt: string | null
  entries: number
}

/** So many versions of each of the lists as are shown, the newest first; `asOf` can be each of them. */
export function listKept(db: Db, lists: readonly number[], limit: number): Promise<KeptVersion[]> {
  return value(db, 'select screening.list_kept($1, $2)', [lists, limit])
}

/** Lets a step load a fresh copy of a public list. */
export async function refreshByOperator(db: Db, list: string): Promise<void> {
  await value(db, 'select admin.refresh_list($1)', [list])
}

/** The current version of a list of an account. */
export async function findVersion(db: Db, accountId: string, key: string): Promise<number | undefined> {
  return (await listVersions(db, accountId)).find(list => list.key === key)?.version ?? undefined
}

/** Words of the public lists, and of those that are named, that have some of the keys. */
export async function findWords(db: Db, keys: readonly number[], lists: readonly number[]): Promise<IndexedWord[]> {
  const found = await value<[number, string, number][]>(db, 'select screening.find_words($1, $2)', [keys, lists])
  return found.map(([id, word, entries]) => ({ id, word, entries }))
}

export function countEntries(db: Db, words: readonly string[]): Promise<Record<string, number>> {
  return value(db, 'select screening.count_entries($1)', [words])
}

/** Which entries of which versions are looked for; see `CandidateQuery`. */
interface CandidateSearch {
  lists: readonly number[]
  versions: readonly number[]
  pairs: readonly (readonly [readonly number[], readonly number[]])[]
  rare: readonly number[]
  limit: number
}

export async function findCandidates(db: Db, search: CandidateSearch): Promise<{ id: string; words: number[] }[]> {
  const { lists, versions, pairs, rare, limit } = search
  const values = [lists, versions, JSON.stringify(pairs), rare, limit]
  const text = 'select screening.find_candidates($1, $2, $3, $4, $5)'
  const found = await value<[string, number[]][]>(db, text, values)
  return found.map(([id, words]) => ({ id, words }))
}

/** The numbers of the entries of versions that have one of the keys of identifiers. */
export function findIdentified(
  db: Db,
  { lists, versions, keys, limit }: Pick<CandidateSearch, 'lists' | 'versions' | 'limit'> & { keys: readonly string[] },
): Promise<string[]> {
  return value(db, 'select screening.find_identified($1, $2, $3, $4)', [lists, versions, keys, limit])
}

export function readEntities(db: Db, ids: readonly string[]): Promise<Candidate[]> {
  return value(db, 'select screening.read_entities($1)', [ids])
}

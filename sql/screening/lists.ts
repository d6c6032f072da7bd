import type { ListedVersion } from '../../tasks/products/screening/coverage.ts'
import type { ListedWord } from '../../tasks/products/screening/matching/candidates.ts'
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

/** The words with each of the keys, of some uploaded lists or, with null, of the public ones. */
export async function listWords(
  db: Db,
  keys: readonly number[],
  lists: readonly number[] | null,
): Promise<(readonly [key: number, words: ListedWord[]])[]> {
  const found = await value<[number, [number, string, number][]][]>(db, 'select screening.list_words($1, $2)', [
    keys,
    lists,
  ])
  return found.map(([key, words]) => [key, words.map(([id, word, entries]) => ({ id, word, entries }))] as const)
}

/** The numbers of the entries that have each of the words, by the numbers of the words. */
export function listPostings(db: Db, words: readonly number[]): Promise<[word: number, entries: number[]][]> {
  return value(db, 'select screening.list_postings($1)', [words])
}

export function countEntries(db: Db, words: readonly string[]): Promise<Record<string, number>> {
  return value(db, 'select screening.count_entries($1)', [words])
}

/** In which versions of which lists entries are looked for. */
interface SearchedVersions {
  lists: readonly number[]
  versions: readonly number[]
}

/** The numbers of the entries of versions that have one of the keys of identifiers. */
export function findIdentified(
  db: Db,
  { lists, versions, keys, limit }: SearchedVersions & { keys: readonly string[]; limit: number },
): Promise<string[]> {
  return value(db, 'select screening.find_identified($1, $2, $3, $4)', [lists, versions, keys, limit])
}

/** The first of the entries that the versions have, in the order of the ids. */
export function readListed(
  db: Db,
  { lists, versions, ids, limit }: SearchedVersions & { ids: readonly number[]; limit: number },
): Promise<Candidate[]> {
  return value(db, 'select screening.read_listed($1, $2, $3, $4)', [ids, lists, versions, limit])
}

import type { ListedVersion } from '../../tasks/products/screening/coverage.ts'
import type { ListedEntity } from '../../tasks/products/screening/entity.ts'
import type { ListedWord } from '../../tasks/products/screening/matching/candidates.ts'
import type { Fact } from '../../tasks/products/screening/matching/facts.ts'
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

/** What is compared of the first of the entries that the versions have, in the order of the ids. */
export async function readCompared(
  db: Db,
  { lists, versions, ids, limit, facts }: SearchedVersions & { ids: readonly number[]; limit: number; facts: Fact[] },
): Promise<Candidate[]> {
  const statement = 'select screening.read_compared($1, $2, $3, $4, $5)'
  const found = await value<ComparedRow[]>(db, statement, [ids, lists, versions, limit, facts])
  return found.map(([id, source, sourceId, hash, names, type, families, topics, read]) => ({
    ...{ id, entityId: `${source}:${sourceId}`, source, hash, names },
    entity: { type, families, topics, ...readFacts(read) },
  }))
}

type Facts = Pick<Candidate['entity'], Fact>
type ComparedRow = [
  id: number,
  source: string,
  sourceId: string,
  hash: string,
  names: Candidate['names'],
  type: Candidate['entity']['type'],
  families: Candidate['entity']['families'],
  topics: Candidate['entity']['topics'],
  facts: { [Name in Fact]?: Facts[Name] | null } | null,
]

/** What was not read is as if the entry did not tell it. */
const UNREAD: Facts = {
  ...{ dob: [], gender: undefined, nationalities: [], countries: [], birthPlaces: [], identifiers: [], addresses: [] },
}

function readFacts(read: ComparedRow[8]): Facts {
  const known = Object.entries(read ?? {}).filter(([, fact]) => fact !== null)
  return { ...UNREAD, ...Object.fromEntries(known) }
}

/** All that is known of entries, by their numbers. */
export function readBodies(db: Db, ids: readonly number[]): Promise<[id: number, entity: ListedEntity][]> {
  return value(db, 'select screening.read_bodies($1)', [ids])
}

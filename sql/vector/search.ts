import type { CountedText } from '../../tasks/engines/vectors/word-index.ts'
import type { Quotas, Visitor } from '../baton/index.ts'
import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, rows, value } from '../db.ts'

/** What a search begins with: the terms of the baton, and what its vectors in memory are compared with. */
export interface OpenedIndex {
  batonId: string
  dimensions: number | null
  metric: 'cosine' | 'dot' | 'l2'
  model: string | null
  /** Of the vector to which others are to be alike. */
  likeNumber: number | null
  /** Hexadecimal. */
  likeValues: string | null
  count: number
  /** How many of them have texts, and how many words these have. */
  textCount: number
  wordCount: number
  lastNumber: number
  removedAt: string
  /**
   * The index that the namespace has in another store, and the numbers of vectors that it lacks or has otherwise; null while it
   * has none that is ready.
   */
  space: { store: string; lacking: number[] } | null
}

export interface SearchTerms {
  namespace: string
  /** The model of the text that is asked with. */
  textModel?: string
  dimensions?: number
  /** The vector to which others are to be alike. */
  id?: string
}

/** Throws DIMENSION_MISMATCH or MODEL_MISMATCH. */
export function openIndex(db: Db, by: Visitor, terms: SearchTerms): Promise<OpenedIndex> {
  return value(db, 'select vector.open($1, $2)', [JSON.stringify(by), JSON.stringify(terms)])
}

/** Numbers of vectors and their floats, in order. Both are null where there are none. */
export async function loadVectors(
  db: Db,
  batonId: string,
  namespace: string,
  range: { after: number; until: number; limit: number },
): Promise<{ numbers: Buffer | null; floats: Buffer | null }> {
  const text = 'select * from vector.load($1, $2, $3, $4, $5)'
  const values = [batonId, namespace, range.after, range.until, range.limit]
  const [found] = await rows<{ numbers: Buffer | null; floats: Buffer | null }>(db, text, values)
  return found!
}

/** The words of texts, in the order of the numbers of their vectors. */
export function loadWords(
  db: Db,
  batonId: string,
  namespace: string,
  range: { after: number; until: number; limit: number },
): Promise<CountedText[]> {
  const values = [batonId, namespace, range.after, range.until, range.limit]
  return value(db, 'select vector.load_words($1, $2, $3, $4, $5)', values)
}

/** Those with these numbers, and what the index of the namespace lacks, as far as the filter lets them pass. */
export async function pickVectors(
  db: Db,
  batonId: string,
  namespace: string,
  { numbers, filter }: { numbers: Iterable<number>; filter: string | undefined },
): Promise<{ numbers: Int32Array; floats: Buffer }> {
  const values = [batonId, namespace, Array.from(numbers), filter ?? null]
  const text = 'select * from vector.pick($1, $2, $3, $4)'
  const [found] = await rows<{ numbers: Buffer | null; floats: Buffer | null }>(db, text, values)
  return { numbers: readNumbers(found!.numbers ?? Buffer.alloc(0)), floats: found!.floats ?? Buffer.alloc(0) }
}

export async function listVectorNumbers(db: Db, batonId: string, namespace: string): Promise<Int32Array> {
  return readNumbers(await value<Buffer>(db, 'select vector.list_numbers($1, $2)', [batonId, namespace]))
}

/** The vectors that a filter lets pass, and the group of each if a field is given. */
export async function findCandidates(
  db: Db,
  batonId: string,
  namespace: string,
  { filter, group }: { filter: string | undefined; group: string | undefined },
): Promise<{ candidates: Int32Array; groups?: BigInt64Array }> {
  const text = 'select * from vector.find_candidates($1, $2, $3, $4)'
  const values = [batonId, namespace, filter ?? null, group ?? null]
  const [found] = await rows<{ numbers: Buffer; groups: Buffer | null }>(db, text, values)
  const { numbers, groups } = found!
  return { candidates: readNumbers(numbers), ...(groups && { groups: readHashes(groups) }) }
}

/** The vectors whose texts have some of the words, the best first. */
export async function rankWords(
  db: Db,
  batonId: string,
  namespace: string,
  { filter, words, limit }: { filter: string | undefined; words: string[]; limit: number },
): Promise<Int32Array> {
  const text = 'select vector.rank_words($1, $2, $3, $4, $5)'
  return readNumbers(await value<Buffer>(db, text, [batonId, namespace, filter ?? null, words, limit]))
}

export interface Shown {
  metadata: boolean
  text: boolean
  values: boolean
}

export interface FetchedVector {
  number: number
  id: string
  metadata: Record<string, unknown> | null
  body: string | null
  floats: Buffer | null
  shown_bytes: number
}

export function fetchVectors(
  db: Db,
  batonId: string,
  namespace: string,
  { numbers, shown }: { numbers: number[]; shown: Shown },
): Promise<FetchedVector[]> {
  const values = [batonId, namespace, numbers, JSON.stringify(shown)]
  return rows<FetchedVector & Record<string, unknown>>(db, 'select * from vector.fetch($1, $2, $3, $4)', values)
}

/** Draws the bytes of an answer as one read, and ends the paying job with it. Returns what is left. */
export function finishQuery(db: Db, job: PayingJob, by: Visitor, sizeBytes: number, result: object): Promise<Quotas> {
  const values = [serializeJob(job), JSON.stringify(by), sizeBytes, JSON.stringify(result)]
  return value(db, 'select vector.finish_query($1, $2, $3, $4)', values)
}

export interface ReadVector {
  id: string
  metadata: Record<string, unknown> | null
  text: string | null
  /** Base64. */
  values: string | null
}

interface VectorPage {
  namespace: string
  id?: string
  prefix?: string
  after?: string
  limit: number
  with: Shown
}

/** Reads one vector, or a page of them; what is shown is drawn. */
export function readVectors(db: Db, by: Visitor, page: VectorPage): Promise<{ items: ReadVector[]; quotas: Quotas }> {
  return value(db, 'select vector.read($1, $2)', [JSON.stringify(by), JSON.stringify(page)])
}

/** Postgres sends integers with their high byte first. */
export function readNumbers(bytes: Uint8Array): Int32Array {
  const copy = new Uint8Array(bytes)
  Buffer.from(copy.buffer).swap32()
  return new Int32Array(copy.buffer)
}

function readHashes(bytes: Uint8Array): BigInt64Array {
  const copy = new Uint8Array(bytes)
  Buffer.from(copy.buffer).swap64()
  return new BigInt64Array(copy.buffer)
}

import type { Visitor } from '../baton/index.ts'
import { type Db, value } from '../db.ts'

/** Who asks, or the id of a baton that anyone asks about. */
export type Asker = Visitor | { baton: string }

interface SignedProof<Statement> {
  statement: Statement
  jws: string
}

export function readProof<Statement>(db: Db, by: Asker): Promise<SignedProof<Statement>> {
  return value(db, 'select witness.read_proof($1)', [JSON.stringify(by)])
}

interface ChainHeaders {
  created_at: string
  entries: object[]
}

/** The headers of a chain as they are hashed; null if the baton is not chained. */
export function listHeaders(db: Db, by: Visitor, max: number): Promise<ChainHeaders | null> {
  return value(db, 'select witness.list_headers($1, $2)', [JSON.stringify(by), max])
}

export interface Chain<Statement> {
  batonId: string
  entries: number
  size: number
  head: string
  origin: string
  /** There are no entries beside those that are counted. */
  isExact: boolean
  witnessedAt: string | null
  record: SignedProof<Statement> | null
}

export function readChain<Statement>(db: Db, by: Visitor): Promise<Chain<Statement>> {
  return value(db, 'select witness.read_chain($1)', [JSON.stringify(by)])
}

/** Where a check has come to: the last entry that was checked. */
export interface ChainPosition {
  seq: number
  hash: string
  endByte: number
}

export interface StoredContent {
  seq: number
  key: string
  size: number
  sha256: string
}

interface CheckedEntries {
  count: number
  next: ChainPosition | null
  fault: { seq: number; reason: string } | null
  stored: StoredContent[]
}

export interface CheckRange {
  batonId: string
  last: number
  limit: number
  isFull: boolean
}

export function checkEntries(
  db: Db,
  from: ChainPosition,
  { batonId, last, limit, isFull }: CheckRange,
): Promise<CheckedEntries> {
  return value(db, 'select witness.check_entries($1, $2, $3, $4, $5)', [
    batonId,
    JSON.stringify(from),
    last,
    limit,
    isFull,
  ])
}

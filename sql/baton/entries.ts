import { type Db, rows, value } from '../db.ts'
import type { Quotas, Visitor } from './visitor.ts'

export interface ReadRequest {
  seq?: number
  first?: number
  last?: number
  /** Tags of versions that the reader has; `*` is any. */
  known: string[]
  isRange: boolean
  /** The tag that it must still have for a range. */
  ifRange?: string
  isPeek: boolean
}

export interface ReadResult {
  kind: 'content' | 'log' | 'peek' | 'unmodified' | 'unsatisfiable'
  batonId: string
  accountId: string
  seq: number
  contentType: string
  total: bigint
  first: bigint
  length: bigint
  content: Buffer | undefined
  key: string | null
  isRange: boolean
  /** False of a range that leaves bytes to be read, by a token with a cap: it counts as no read yet. */
  isWhole: boolean | null
  /** The token may read only so often. */
  isCapped: boolean
  quotas: Quotas
}

/** Takes back a read of which so many bytes were not sent. */
export async function returnRead(db: Db, by: Visitor, found: ReadResult, unsentBytes: bigint): Promise<void> {
  const { batonId: id, first, length, isWhole } = found
  const values = [JSON.stringify(by), id, unsentBytes]
  if (isWhole) await value(db, 'select baton.return_read($1, $2, $3)', values)
  else await value(db, 'select baton.return_part($1, $2, $3, $4, $5)', [...values, first, first + length - 1n])
}

export interface Piece {
  seq: bigint
  start_byte: bigint
  size_bytes: bigint
  content: Buffer | null
  object_key: string | null
}

type PieceRow = Piece & Record<string, unknown>

/** Entries of a log that a range lies in, some at a time. */
export function listPieces(db: Db, ...range: PieceRange): Promise<Piece[]> {
  return rows<PieceRow>(db, 'select * from baton.list_pieces($1, $2, $3, $4)', range)
}

/** The same for a reader of a log: its content is not removed before the reader has had time for the rest. */
export function readPieces(db: Db, ...range: PieceRange): Promise<Piece[]> {
  return rows<PieceRow>(db, 'select * from baton.read_pieces($1, $2, $3, $4)', range)
}

type PieceRange = [id: string, after: bigint, first: bigint, last: bigint]

export interface EntryView {
  seq: number
  createdAt: string
  writer: string
  contentType: string
  sizeBytes: number
  sha256: string
  prev?: string
  hash?: string
}

export interface EntryFilter {
  limit: number
  offset: number
  sinceSeq?: string
  sinceTime?: string
  untilTime?: string
  writer?: string
  type?: string
  /** Without entries, changes are announced for so long. */
  tailSeconds?: number
}

export interface EntryPage {
  batonId: string
  quotas: Quotas
  last: number
  entries: { entry: EntryView; content: string | null }[]
}

export function listEntries(db: Db, by: Visitor, filter: EntryFilter): Promise<EntryPage> {
  return value(db, 'select baton.list_entries($1, $2)', [JSON.stringify(by), JSON.stringify(filter)])
}

export function listLogs(db: Db, by: Visitor, filter: EntryFilter): Promise<object[]> {
  return value(db, 'select baton.list_logs($1, $2)', [JSON.stringify(by), JSON.stringify(filter)])
}

import { type Db, value } from '../db.ts'
import type { NewEnvelope } from './envelopes.ts'

interface NewBatch {
  id: string
  templateId: string
  sends: boolean
  /** By which a repeat under the same key is known. */
  requestHash: string
  /** Of the key whose limits count, as a bytea; undefined for a caller without one. */
  keyHash: string | undefined
  /** With what each costs and its ledger, if they are sent. */
  rows: readonly { envelope: NewEnvelope; charge: string | undefined; baton: object | undefined }[]
}

interface BatchView {
  id: string
  sends: boolean
  createdAt: string
  rows: { index: number; envelopeId: string | null; status: string | null; problem: object | null }[]
}

/** Makes all drafts or none. Throws TOO_MANY_ENVELOPES. */
export function createBatch(db: Db, accountId: string, batch: NewBatch, maxOpen: number): Promise<BatchView> {
  return value(db, 'select esigndoc.create_batch($1, $2, $3)', [accountId, JSON.stringify(batch), maxOpen])
}

/** Throws NOT_FOUND. */
export function readBatch(db: Db, accountId: string, id: string): Promise<BatchView> {
  return value(db, 'select esigndoc.read_batch($1, $2)', [accountId, id])
}

import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, value } from '../db.ts'
import type { Condition } from '../product/condition.ts'

/** Bytes that are in the object store. */
export interface LeaseContent {
  key: string
  size: number
  sha256: string
  type: string
  filename: string | undefined
}

/** A storage lease as its owner sees it. */
export interface StorageView {
  lease_id: string
  version: number
  size_bytes: number
  max_body_bytes: number
  sha256: string
  content_type: string
  filename: string | null
  updated_at: string
  expires_at: string
}

export interface StoredContent {
  key: string
  view: StorageView
}

/** Records bytes before they are stored, so that they are removed if no lease takes them over. */
export async function reserveContent(db: Db, accountId: string, key: string, type: string): Promise<void> {
  await value(db, 'select storage.reserve_content($1, $2, $3)', [accountId, key, type])
}

interface NewStorage {
  id: string
  seconds: number
  maxBodyBytes: number
  deleteOnClaim: boolean
  content: LeaseContent
}

export function buyStorage(
  db: Db,
  job: PayingJob,
  { id, seconds, maxBodyBytes, deleteOnClaim, content }: NewStorage,
): Promise<StorageView> {
  const fields = JSON.stringify({
    id,
    account_id: job.accountId,
    kind: 'storage',
    job_id: job.id,
    max_body_bytes: maxBodyBytes,
    delete_on_claim: deleteOnClaim,
  })
  const values = [serializeJob(job), fields, seconds, JSON.stringify(content)]
  return value(db, 'select storage.buy($1, $2, $3, $4)', values)
}

/** Of another account's lease these functions throw FORBIDDEN, of one that has ended GONE. */
interface LeaseOf {
  accountId: string
  id: string
}

export function readStorage(db: Db, { accountId, id }: LeaseOf): Promise<StoredContent> {
  return value(db, 'select storage.read($1, $2)', [accountId, id])
}

export function listStorage(db: Db, accountId: string, limit: number, offset: number): Promise<StorageView[]> {
  return value(db, 'select storage.list($1, $2, $3)', [accountId, limit, offset])
}

/** Throws VERSION_CONFLICT. */
export function writeStorage(
  db: Db,
  { accountId, id }: LeaseOf,
  content: LeaseContent,
  condition: Condition,
): Promise<StorageView> {
  const values = [accountId, id, JSON.stringify(content), JSON.stringify(condition)]
  return value(db, 'select storage.write($1, $2, $3, $4)', values)
}

/** Throws VERSION_CONFLICT. */
export async function deleteStorage(db: Db, { accountId, id }: LeaseOf, condition: Condition): Promise<void> {
  await value(db, 'select storage.remove($1, $2, $3)', [accountId, id, JSON.stringify(condition)])
}

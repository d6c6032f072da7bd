import { type PayingJob, serializeJob } from '../call.ts'
import { type Db, rows, value } from '../db.ts'
import type { Condition } from '../product/condition.ts'

interface NewCheckpoint {
  id: string
  workflowId: string
  maxBodyBytes: number
  seconds: number
  body: Buffer
  contentType: string
}

/** Throws WORKFLOW_ID_IN_USE. */
export function buyCheckpoint(
  db: Db,
  job: PayingJob,
  { id, workflowId, maxBodyBytes, seconds, body, contentType }: NewCheckpoint,
): Promise<unknown> {
  const fields = JSON.stringify({
    id,
    account_id: job.accountId,
    kind: 'checkpoint',
    job_id: job.id,
    workflow_id: workflowId,
    max_body_bytes: maxBodyBytes,
    content_type: contentType,
  })
  return value(db, 'select checkpoint.buy($1, $2, $3, $4)', [serializeJob(job), fields, seconds, body])
}

interface CheckpointVersion {
  body: Buffer
  version: number
  sha256: string
  content_type: string
  updated_at: Date
  expires_at: Date
}

/** One version; without a number the last one. Throws NOT_FOUND or GONE, as the functions below do. */
export async function readCheckpoint(
  db: Db,
  accountId: string,
  workflowId: string,
  version: number | undefined,
): Promise<CheckpointVersion> {
  const text = 'select * from checkpoint.load($1, $2, $3)'
  const [found] = await rows<CheckpointVersion & Record<string, unknown>>(db, text, [
    accountId,
    workflowId,
    version ?? null,
  ])
  return found!
}

interface VersionRecord {
  workflow_id: string
  version: number
  size_bytes: number
  updated_at: string
  sha256: string
  expires_at: string
}

interface CheckpointWrite {
  accountId: string
  workflowId: string
  body: Buffer
  /** What the last version must be: `v3`, or `v3-` with the beginning of its hash. */
  condition: Condition
  idempotencyKey: string | undefined
  /** How many versions are kept. */
  keep: number
  contentType: string
}

/** Throws VERSION_CONFLICT or BODY_TOO_LARGE. */
export function writeCheckpoint(db: Db, write: CheckpointWrite): Promise<VersionRecord & { is_replay?: true }> {
  const { accountId, workflowId, body, condition, idempotencyKey, keep, contentType } = write
  // A former function has as many arguments, but a number in this place.
  return value(db, 'select checkpoint.write($1, $2, $3, $4::json, $5, $6, $7)', [
    accountId,
    workflowId,
    body,
    JSON.stringify(condition),
    idempotencyKey ?? null,
    keep,
    contentType,
  ])
}

export function listVersions(db: Db, accountId: string, workflowId: string, limit: number): Promise<VersionRecord[]> {
  return value(db, 'select checkpoint.list_versions($1, $2, $3)', [accountId, workflowId, limit])
}

/** Throws VERSION_CONFLICT. */
export async function deleteCheckpoint(
  db: Db,
  { accountId, workflowId }: Pick<CheckpointWrite, 'accountId' | 'workflowId'>,
  condition: Condition,
): Promise<void> {
  await value(db, 'select checkpoint.remove($1, $2, $3)', [accountId, workflowId, JSON.stringify(condition)])
}

export function listCheckpoints(db: Db, accountId: string, limit: number, offset: number): Promise<unknown[]> {
  return value(db, 'select checkpoint.list($1, $2, $3)', [accountId, limit, offset])
}

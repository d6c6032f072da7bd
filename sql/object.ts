import { type Db, rows, value } from './db.ts'
import type { StoredObject } from './job.ts'

export interface ObjectRecord {
  sizeBytes: number | undefined
  contentType: string | undefined
  name: string | undefined
  expiresAt: Date
  isExpired: boolean
}

/** Records a key that a caller may upload to, and returns when it expires. */
export function recordUpload(
  db: Db,
  upload: { key: string; accountId: string; contentType: string | undefined; name?: string; hours: number },
): Promise<Date> {
  const { key, accountId, contentType, name, hours } = upload
  return value(db, 'select object.record_upload($1, $2, $3, $4, $5)', [
    key,
    accountId,
    contentType ?? null,
    name ?? null,
    hours,
  ])
}

export async function readObject(db: Db, accountId: string, key: string): Promise<ObjectRecord | undefined> {
  const [row] = await rows<ObjectRow>(db, 'select * from object.read($1, $2)', [accountId, key])
  return row && toRecord(row)
}

/** Those of the keys that are the account's own, in one round trip. */
export async function readObjects(
  db: Db,
  accountId: string,
  keys: readonly string[],
): Promise<Map<string, ObjectRecord>> {
  const found = await rows<ObjectRow & { key: string }>(db, 'select * from object.read_all($1, $2)', [accountId, keys])
  return new Map(found.map(row => [row.key, toRecord(row)]))
}

interface ObjectRow {
  size_bytes: bigint | null
  content_type: string | null
  name: string | null
  expires_at: Date
  is_expired: boolean
}

function toRecord(row: ObjectRow): ObjectRecord {
  return {
    sizeBytes: row.size_bytes === null ? undefined : Number(row.size_bytes),
    contentType: row.content_type ?? undefined,
    name: row.name ?? undefined,
    expiresAt: row.expires_at,
    isExpired: row.is_expired,
  }
}

export async function listExpiredObjects(db: Db, limit: number): Promise<string[]> {
  const found = await rows<{ key: string }>(db, 'select key from object.list_expired($1)', [limit])
  return found.map(row => row.key)
}

export async function forgetObjects(db: Db, keys: string[]): Promise<void> {
  await value(db, 'select object.forget($1)', [keys])
}

/** Records the outputs of a job that was never queued. */
export async function recordOutputs(db: Db, accountId: string, jobId: string, objects: StoredObject[]): Promise<void> {
  await value(db, 'select object.record_outputs($1, $2, $3)', [accountId, jobId, JSON.stringify(objects)])
}

/** Deletes the records of outputs that could not be stored. */
export async function dropOutputs(db: Db, objects: readonly StoredObject[]): Promise<void> {
  await dropObjects(
    db,
    objects.map(({ key }) => key),
  )
}

/** Deletes records of files that are not there any more, whether or not their time is over. */
export async function dropObjects(db: Db, keys: readonly string[]): Promise<void> {
  await value(db, 'select object.drop_outputs($1)', [keys])
}

/** Removes bytes that were just stored if their record has gone meanwhile, because their account was erased. */
export async function removeIfUnrecorded(
  db: Db,
  store: { remove(key: string): Promise<void> },
  key: string,
): Promise<void> {
  if ((await findUnrecorded(db, [key])).length > 0) await store.remove(key)
}

/** Those of the keys that have no record. */
export async function findUnrecorded(db: Db, keys: readonly string[]): Promise<string[]> {
  const found = await rows<{ key: string }>(db, 'select key from object.find_unrecorded($1)', [keys])
  return found.map(row => row.key)
}

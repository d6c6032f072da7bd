import { type Db, value } from '../db.ts'
import type { WrittenEntry } from './lifecycle.ts'

/** A file that was uploaded for a baton, or may be, and is not taken over yet. */
export interface PendingUpload {
  batonId: string
  accountId: string
  key: string
  maxBytes: string
}

/** SQLSTATE of a use that finds such a file. */
const PENDING_CODE = 'SVC04'

/** What a use has to wait for, if that is why it was refused. */
export function readPendingUpload(error: unknown): PendingUpload | undefined {
  if (error instanceof UploadPending) return error.upload
  const { code, detail } = error as { code?: unknown; detail?: unknown }
  return code === PENDING_CODE && typeof detail === 'string' ? (JSON.parse(detail) as PendingUpload) : undefined
}

/** The same for a use that shared its statement with others. */
export class UploadPending extends Error {
  readonly upload: PendingUpload

  constructor(upload: PendingUpload) {
    super('an upload is to be taken over first')
    this.upload = upload
  }
}

/** The baton that still takes an upload under this key. */
export function findUpload(db: Db, key: string): Promise<PendingUpload | null> {
  return value(db, 'select baton.find_upload($1)', [key])
}

/** `missing`: no file has come. `gone`: the baton is over, or its content was written meanwhile. */
export type AdoptionOutcome = 'adopted' | 'too large' | 'gone' | 'missing'

export function adoptUpload(db: Db, id: string, written: WrittenEntry & { upload: string }): Promise<AdoptionOutcome> {
  return value(db, 'select baton.adopt_upload($1, $2, $3)', [id, written.upload, JSON.stringify(written)])
}

/** Looks no more for a file that can come no more. */
export async function missUpload(db: Db, id: string, key: string): Promise<void> {
  await value(db, 'select baton.miss_upload($1, $2)', [id, key])
}

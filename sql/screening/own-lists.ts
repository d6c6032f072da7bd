import { finishOnce } from '../baton/index.ts'
import { type Db, value } from '../db.ts'
import type { Ending, Success } from '../job.ts'

/** Names the list of an account before it is loaded. Throws NOT_FOUND, TOO_MANY_LISTS. */
export async function putOwnList(
  db: Db,
  accountId: string,
  list: { key: string; title: string; isNew: boolean },
  max: number,
): Promise<void> {
  await value(db, 'select screening.put_own_list($1, $2, $3)', [accountId, JSON.stringify(list), max])
}

/** The keys of the lists that an account has uploaded. */
export function listOwn(db: Db, accountId: string): Promise<string[]> {
  return value(db, 'select screening.list_own($1)', [accountId])
}

export interface OwnLoadTerms {
  /** Null if the file has nothing new. */
  version: number | null
  sha256: string
}

/** Ends a job and makes the list that it has loaded current, both or neither. The answers are those of `Jobs.finish`. */
export function finishOwnLoad(
  db: Db,
  { id, accountId, attempt, startedAt }: Ending,
  { chargeMicros, result }: Success,
  { version, sha256 }: OwnLoadTerms,
): Promise<'ended' | 'late' | 'unsure'> {
  const ending = { id, acct: accountId, attempt, started: startedAt, charge: chargeMicros.toString() }
  const values = [JSON.stringify(ending), result, version, JSON.stringify({ sha256 })]
  return finishOnce(() => value<boolean>(db, 'select screening.finish_own_load($1, $2, $3, $4)', values))
}

/** Throws NOT_FOUND, or LIST_IN_USE while active monitors search it. */
export async function deleteOwnList(db: Db, accountId: string, key: string): Promise<void> {
  await value(db, 'select screening.delete_own_list($1, $2)', [accountId, key])
}

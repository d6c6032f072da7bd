import { products } from '../../tasks/products/index.ts'
import { type Db, rows, value } from '../db.ts'
import { dropObjects } from '../object.ts'
import { listLastingSteps } from './lasting-steps.ts'

const OBJECTS_AT_ONCE = 500

/** Everything that is kept of an account, by product, without secrets. */
export async function exportAccount(db: Db, accountId: string): Promise<Record<string, unknown>> {
  const functions = products.flatMap(({ name, exported }) => (exported ? [[name, exported] as const] : []))
  const data: Record<string, unknown> = await value(db, 'select account.export($1)', [accountId])
  for (const [name, text] of functions) data[name] = await value(db, `select ${text}($1)`, [accountId])
  return data
}

/** What an erasure that has ended has removed and left, as records by table. */
export interface Erasure {
  /** The account, and those whose wallets had joined it. */
  accounts: string[]
  beganAt: string
  endedAt: string
  files: number
  removed: Record<string, number>
  kept: Record<string, number>
  /** What was signed of it, once it has been. */
  certificate: string | null
}

export async function readErasure(db: Db, accountId: string): Promise<Erasure | undefined> {
  return (await value<Erasure | null>(db, 'select account.read_erasure($1)', [accountId])) ?? undefined
}

/** Keeps the certificate of an erasure, of which there is one. Returns it. */
export function certifyErasure(db: Db, accountId: string, certificate: string): Promise<string> {
  return value(db, 'select account.certify_erasure($1, $2)', [accountId, certificate])
}

/**
 * Deletes what is kept of an account, and of those whose wallets have joined it, but for their books; returns how many files it was.
 * One that broke off can be repeated.
 * Throws ACCOUNT_IN_USE.
 */
export async function eraseAccount(
  db: Db,
  store: { remove(key: string): Promise<void> },
  accountId: string,
): Promise<number> {
  await value(db, 'select account.close($1)', [accountId])
  await value(db, 'select account.begin_erasure($1)', [accountId])
  const joined: string[] = await value(db, 'select account.list_joined($1)', [accountId])
  const count = (files: number) => value(db, 'select account.count_erased_files($1, $2)', [accountId, files])
  let files = 0
  for (const id of [...joined, accountId]) files += await eraseOne(db, store, id, count)
  await value(db, 'select account.end_erasure($1)', [accountId])
  return files
}

type CountFiles = (files: number) => Promise<unknown>

async function eraseOne(
  db: Db,
  store: { remove(key: string): Promise<void> },
  accountId: string,
  count: CountFiles,
): Promise<number> {
  const functions = products.flatMap(({ erase }) => erase ?? [])
  const records: string[] = await value(db, 'select step.list_failed_of($1)', [accountId])
  for (const text of functions) await value(db, `select ${text}($1)`, [accountId])
  await value(db, 'select step.erase_failed($1, $2, $3)', [accountId, records, listLastingSteps()])
  const files = await removeObjects(db, store, accountId, count)
  await value(db, 'select account.erase($1)', [accountId])
  return files
}

/** First the bytes, then the records, so that none is forgotten that is still there. */
async function removeObjects(
  db: Db,
  store: { remove(key: string): Promise<void> },
  accountId: string,
  count: CountFiles,
): Promise<number> {
  let last: string | undefined
  for (let removed = 0; ; ) {
    const text = 'select * from account.list_objects($1, $2)'
    const keys = (await rows<{ key: string }>(db, text, [accountId, OBJECTS_AT_ONCE])).map(({ key }) => key)
    if (keys.length === 0) return removed
    if (keys[0] === last) throw new Error(`the record of the file ${last} stays; the erasure can be repeated`)
    last = keys[0]
    for (const key of keys) await store.remove(key)
    await dropObjects(db, keys)
    await count(keys.length)
    removed += keys.length
  }
}

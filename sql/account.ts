import { newId } from '#kit'
import { type Db, value } from './db.ts'

export interface Account {
  id: string
  name: string | null
  isTest: boolean
  balanceMicros: string
  heldMicros: string
  suspendedAt: string | null
  /** Only its books are left. */
  erasedAt: string | null
  /** The account that its wallet has joined, with all that was here. */
  movedTo: string | null
  createdAt: string
}

export async function createAccount(
  db: Db,
  options: { name?: string; isTest?: boolean } = {},
): Promise<{ id: string }> {
  const id = newId()
  await value(db, 'select account.create($1, $2, $3)', [id, options.name ?? null, options.isTest ?? false])
  return { id }
}

/** Whether the next new sign-in becomes the owner of an account that has no sign-in yet. */
export async function awaitOwner(db: Db, id: string, isOpen: boolean): Promise<void> {
  await value(db, 'select account.await_owner($1, $2)', [id, isOpen])
}

/** Credits money to an account and returns its balance after that. */
export function creditAccount(
  db: Db,
  credit: { accountId: string; amountMicros: bigint; asset?: string; reference?: string },
): Promise<bigint> {
  const { accountId, amountMicros, asset, reference } = credit
  return value(db, 'select account.credit($1, $2, $3, $4)', [
    accountId,
    amountMicros,
    asset ?? 'USD',
    reference ?? null,
  ])
}

/** What a reference was credited with before. */
interface EarlierCredit {
  amountMicros: string
  at: string
}

/** Credits money unless the reference was credited to the account before; then it returns that credit. */
export async function creditOnce(
  db: Db,
  { accountId, amountMicros, reference }: { accountId: string; amountMicros: bigint; reference: string },
): Promise<EarlierCredit | undefined> {
  const text = 'select account.credit_once($1, $2, $3)'
  return (await value<EarlierCredit | null>(db, text, [accountId, amountMicros, reference])) ?? undefined
}

export async function suspendAccount(db: Db, id: string, isSuspended: boolean): Promise<void> {
  await value(db, 'select account.suspend($1, $2)', [id, isSuspended])
}

export async function readAccount(db: Db, id: string): Promise<Account | undefined> {
  return (await value<Account | null>(db, 'select account.read($1)', [id])) ?? undefined
}

/** The account of the test key, undefined if there is none. */
export async function findDevelopmentAccount(db: Db): Promise<string | undefined> {
  return (await value<string | null>(db, 'select account.find_development()', [])) ?? undefined
}

export function listAccounts(db: Db, limit: number, offset: number): Promise<Account[]> {
  return value(db, 'select account.list($1, $2)', [limit, offset])
}

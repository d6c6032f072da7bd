import { newId } from '#kit'
import { type Db, rows, value } from './db.ts'

export const OPERATOR_ROLES = ['read', 'support', 'full'] as const
export type OperatorRole = (typeof OPERATOR_ROLES)[number]

export interface Operator {
  id: string
  name: string
  role: OperatorRole
}

interface Factors extends Operator {
  totp_sealed: string | null
  disabled_at: Date | null
}

export interface ListedOperator {
  name: string
  role: OperatorRole
  has_totp: boolean
  passkeys: bigint
  created_at: Date
  disabled_at: Date | null
  seen_at: Date | null
}

export async function createOperator(db: Db, name: string, role: OperatorRole): Promise<void> {
  await value(db, 'select operator.create($1, $2, $3)', [newId(), name, role])
}

/** Gives an operator a link with which they add what they sign in with; only its hash is stored. */
export async function createOperatorLink(db: Db, name: string, hash: Buffer, minutes: number): Promise<void> {
  await value(db, 'select operator.create_link($1, $2, $3)', [name, hash, minutes])
}

export function listOperators(db: Db): Promise<ListedOperator[]> {
  return rows<ListedOperator & Record<string, unknown>>(db, 'select * from operator.list()')
}

/** Changes the role of an operator, or whether the console is closed to them; what is undefined stays. */
export async function changeOperator(
  db: Db,
  name: string,
  change: { role?: OperatorRole; isDisabled?: boolean },
): Promise<void> {
  await value(db, 'select operator.change($1, $2, $3)', [name, change.role ?? null, change.isDisabled ?? null])
}

/** What an operator of this name signs in with; undefined if there is none. */
export async function findOperator(db: Db, name: string): Promise<Factors | undefined> {
  const [row] = await rows<Factors & Record<string, unknown>>(db, 'select * from operator.find($1)', [name])
  return row?.id ? row : undefined
}

export async function findOperatorByLink(db: Db, hash: Buffer): Promise<Operator | undefined> {
  const [row] = await rows<Operator & Record<string, unknown>>(db, 'select * from operator.find_by_link($1)', [hash])
  return row?.id ? row : undefined
}

/** Uses a link up for the codes of an authenticator app, of which one was shown. False if the link serves no more. */
export function setTotp(db: Db, link: Buffer, totp: { sealed: string; step: number }): Promise<boolean> {
  return value(db, 'select operator.set_totp($1, $2, $3)', [link, totp.sealed, totp.step])
}

interface NewPasskey {
  id: string
  publicKey: Uint8Array
  counter: number
  name: string
}

/** Uses a link up for a passkey. */
export function addPasskey(db: Db, link: Buffer, passkey: NewPasskey): Promise<boolean> {
  const { id, publicKey, counter, name } = passkey
  const values = [link, id, Buffer.from(publicKey), counter, name]
  return value(db, 'select operator.add_passkey($1, $2, $3, $4, $5)', values)
}

/** Takes the code of a step of time; false if one of it, or of a later one, was taken before. */
export function useTotp(db: Db, operatorId: string, step: number): Promise<boolean> {
  return value(db, 'select operator.use_totp($1, $2)', [operatorId, step])
}

interface StoredPasskey {
  operator_id: string
  name: string
  public_key: Buffer
  counter: bigint
}

export async function findPasskey(db: Db, id: string): Promise<StoredPasskey | undefined> {
  const [row] = await rows<StoredPasskey & Record<string, unknown>>(db, 'select * from operator.find_passkey($1)', [id])
  return row
}

/** Notes the use of a passkey; false if its counter did not rise, as that of a copy would not. */
export function usePasskey(db: Db, id: string, counter: number): Promise<boolean> {
  return value(db, 'select operator.use_passkey($1, $2)', [id, counter])
}

export async function startOperatorSession(db: Db, hash: Buffer, operatorId: string): Promise<void> {
  await value(db, 'select operator.start_session($1, $2)', [hash, operatorId])
}

export async function findOperatorSession(db: Db, hash: Buffer): Promise<Operator | undefined> {
  const [row] = await rows<Operator & Record<string, unknown>>(db, 'select * from operator.find_session($1)', [hash])
  return row
}

export async function closeOperatorSession(db: Db, hash: Buffer): Promise<void> {
  await value(db, 'select operator.close_session($1)', [hash])
}

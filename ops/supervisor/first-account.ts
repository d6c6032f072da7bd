import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isApiKey, usd } from '#kit'
import { awaitOwner, createAccount, creditAccount, findDevelopmentAccount } from '../../sql/account.ts'
import { type Db, openDb } from '../../sql/db.ts'
import { createKey, findKeyOwner } from '../../sql/key.ts'
import { listSignIns } from '../../sql/session.ts'
import type { Config } from '../config.ts'
import { isLoopback } from '../loopback.ts'
import { hashApiKey } from '../secrets.ts'

export interface DevelopmentAccess {
  baseUrl: string
  apiKey: string
  accountId: string
  /** Who signs in to the account; undefined until someone has. */
  owner: string | undefined
  /** The next new sign-in becomes the owner. */
  awaitsOwner: boolean
}

const TEST_CREDIT_USD = '10'

/**
 * Creates an account with test credit and a key at the first start; later starts find them in `dev.json`. On a loopback
 * address the first sign-in becomes its owner, so that the dashboard shows the account of the key.
 */
export async function ensureFirstAccount(url: string, config: Config): Promise<DevelopmentAccess> {
  const db = openDb(url, { name: 'start', size: 1 })
  try {
    const path = join(config.dataDir, 'dev.json')
    const known = await readAccess(db, path, config.secret)
    const { apiKey, accountId } = known ?? (await openTestAccount(db, config.secret))
    const { publicUrl: baseUrl } = config
    const isOpen = isLoopback(baseUrl) && !config.stripe
    await awaitOwner(db, accountId, isOpen)
    const draft = `${path}.new`
    writeFileSync(draft, `${JSON.stringify({ baseUrl, apiKey, accountId }, null, 2)}\n`, { mode: 0o600, flush: true })
    renameSync(draft, path)
    const owner = (await listSignIns(db, accountId)).find(({ kind }) => kind !== 'wallet')?.name
    return { baseUrl, apiKey, accountId, owner, awaitsOwner: isOpen && !owner }
  } finally {
    await db.end()
  }
}

/** The access in the file, if its key is still valid for this database and this secret. */
async function readAccess(db: Db, path: string, secret: string) {
  const { apiKey } = readJson(path)
  if (typeof apiKey !== 'string' || !isApiKey(apiKey)) return undefined
  const owner = await findKeyOwner(db, hashApiKey(secret, apiKey))
  return owner && { apiKey, accountId: owner.accountId }
}

/** In a restored database, or once its key was revoked, the account is there and only gets another key. */
async function openTestAccount(db: Db, secret: string) {
  const accountId = (await findDevelopmentAccount(db)) ?? (await createCreditedAccount(db))
  const apiKey = await createKey(db, { accountId, mode: 'test', hash: key => hashApiKey(secret, key) })
  return { apiKey, accountId }
}

async function createCreditedAccount(db: Db): Promise<string> {
  const { id: accountId } = await createAccount(db, { name: 'development', isTest: true })
  await creditAccount(db, { accountId, amountMicros: usd(TEST_CREDIT_USD), reference: 'first start' })
  return accountId
}

function readJson(path: string): Partial<DevelopmentAccess> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<DevelopmentAccess>
  } catch {
    return {}
  }
}

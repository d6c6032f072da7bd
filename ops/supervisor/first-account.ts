import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isApiKey, usd } from '#kit'
import { createAccount, creditAccount } from '../../sql/account.ts'
import { type Db, openDb } from '../../sql/db.ts'
import { createKey, findKeyOwner } from '../../sql/key.ts'
import type { Config } from '../config.ts'
import { hashApiKey } from '../secrets.ts'

export interface DevelopmentAccess {
  baseUrl: string
  apiKey: string
  accountId: string
}

const TEST_CREDIT_USD = '10'

/** Creates an account with test credit and a key at the first start; later starts find them in `dev.json`. */
export async function ensureFirstAccount(url: string, config: Config): Promise<DevelopmentAccess> {
  const db = openDb(url, { name: 'start', size: 1 })
  try {
    const path = join(config.dataDir, 'dev.json')
    const known = await readAccess(db, path, config.secret)
    const access = { ...(known ?? (await createTestAccount(db, config.secret))), baseUrl: config.publicUrl }
    const draft = `${path}.new`
    const { baseUrl, apiKey, accountId } = access
    writeFileSync(draft, `${JSON.stringify({ baseUrl, apiKey, accountId }, null, 2)}\n`, { mode: 0o600, flush: true })
    renameSync(draft, path)
    return access
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

async function createTestAccount(db: Db, secret: string) {
  const { id: accountId } = await createAccount(db, { name: 'development', isTest: true })
  await creditAccount(db, { accountId, amountMicros: usd(TEST_CREDIT_USD), reference: 'first start' })
  const apiKey = await createKey(db, { accountId, mode: 'test', hash: key => hashApiKey(secret, key) })
  return { apiKey, accountId }
}

function readJson(path: string): Partial<DevelopmentAccess> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<DevelopmentAccess>
  } catch {
    return {}
  }
}

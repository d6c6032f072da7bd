import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ensureFirstAccount } from '../../../ops/supervisor/first-account.ts'
import { listAccounts } from '../../../sql/account.ts'
import { openDb } from '../../../sql/db.ts'
import { revokeKey, showKeys } from '../../../sql/key.ts'
import { eraseAccount } from '../../../sql/product/account-data.ts'
import { freshDatabase } from '../../support/database/fresh.ts'
import { freshFolder } from '../../support/machine/folder.ts'

test('a restored database, or one whose test key was revoked, has no second account with credit', async () => {
  await using database = await freshDatabase()
  await using folder = await freshFolder()
  const db = openDb(database.url, { name: 'test', size: 1 })
  const config = { dataDir: folder.path, secret: 'a secret of the test, long enough', publicUrl: 'http://127.0.0.1:1' }
  const start = () => ensureFirstAccount(database.url, config as never)
  const first = await start()
  expect(await start()).toEqual(first)
  await rm(join(folder.path, 'dev.json'))
  const restored = await start()
  expect(restored.accountId).toBe(first.accountId)
  expect(restored.apiKey).not.toBe(first.apiKey)
  await revokeKey(db, restored.accountId, (await showKeys(db, restored.accountId))[0]!.prefix)
  expect((await start()).accountId).toBe(first.accountId)
  expect(await listAccounts(db, 10, 0)).toMatchObject([{ id: first.accountId, balanceMicros: '10000000' }])
  await eraseAccount(db, { remove: async () => undefined }, first.accountId)
  expect((await start()).accountId).not.toBe(first.accountId)
  await db.end()
})

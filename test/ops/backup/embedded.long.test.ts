import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshFolder } from '../../support/machine/folder.ts'
import { openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runCli } from '../../support/stack/run-cli.ts'
import { makeTraffic } from '../../support/stack/varied-traffic.ts'

const BACKUP_KEY = 'correct horse battery staple'

test('without a database to restore into, the embedded Postgres is set up in the new data folder', async () => {
  await using folder = await freshFolder()
  const backups = join(folder.path, 'backups')
  const dataDir = join(folder.path, 'copy')
  await using api = await openInProcessApi()
  const { owner } = await makeTraffic(api)
  const { databaseUrl, secret, dataDir: original } = api.context.config
  const own = { DATABASE_URL: databaseUrl!, DATA_DIR: original, SECRET: secret, BACKUP_KEY, SMTP_URL: '' }
  const set = { MAIL_FROM: "it's <us@example.com>", X402_OPERATOR_TOKEN: '' }
  expect(await runCli({ ...own, ...set }, 'backup', 'create', '--to', backups)).toMatchObject({ stderr: '' })
  const restored = await runCli({ BACKUP_KEY }, 'backup', 'restore', backups, '--data-dir', dataDir)
  expect(restored).toMatchObject({ exitCode: 0, stderr: '' })
  const kept = await readFile(join(dataDir, 'restored-settings.env'), 'utf8')
  expect(kept).toContain(`MAIL_FROM='it'\\''s <us@example.com>'`)
  expect(kept).not.toContain(secret)
  expect((await readFile(join(dataDir, 'secret'), 'utf8')).trim()).toBe(secret)
  expect(statSync(join(dataDir, 'secret')).mode & 0o077).toBe(0)
  const copy = { DATA_DIR: dataDir }
  expect(await runCli(copy, 'ledger', 'verify')).toMatchObject({ exitCode: 0, stderr: '' })
  const shown = async (env: Record<string, string>) => (await runCli(env, 'account', 'show', owner.accountId)).stdout
  expect(await shown(copy)).toBe(await shown(own))
  expect((await runCli(copy, 'backup', 'wake')).stdout).toContain('awake')
  expect((await runCli(copy, 'backup', 'wake')).stdout).toBe('it was awake already')
})

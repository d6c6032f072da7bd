import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { openDb, rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { emptyDatabase } from '../../support/database/fresh.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runCli } from '../../support/stack/run-cli.ts'
import { makeTraffic } from '../../support/stack/varied-traffic.ts'

const CLI = fileURLToPath(new URL('../../../ops/cli.ts', import.meta.url))
const BACKUP_KEY = 'correct horse battery staple'
/** After how many parts the process is killed. */
const KILL_POINTS = [1, 3, 8, 15, 22]

const countFiles = (path: string) =>
  existsSync(path)
    ? readdirSync(path, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile()).length
    : 0

/** Kills a command as soon as a condition holds; true if it was still running. */
async function killWhen(args: string[], env: Record<string, string>, isTime: () => Promise<boolean> | boolean) {
  const child = execa(process.execPath, [CLI, ...args], { env, reject: false })
  let hasEnded = false
  void child.then(() => {
    hasEnded = true
  })
  await eventually('the time to kill', async () => hasEnded || (await isTime()))
  child.kill('SIGKILL')
  return (await child).signal === 'SIGKILL'
}

test('a backup that is killed is never taken for a whole one, and the next one leaves nothing of it', async () => {
  await using api = await openInProcessApi()
  await using folder = await freshFolder()
  await makeTraffic(api)
  const place = join(folder.path, 'backups')
  const { databaseUrl, dataDir, secret } = api.context.config
  const env = { DATABASE_URL: databaseUrl!, DATA_DIR: dataDir, SECRET: secret, BACKUP_TO: place, BACKUP_KEY }
  let kills = 0
  for (const parts of KILL_POINTS) {
    const before = countFiles(join(place, 'parts'))
    const whole = countFiles(join(place, 'backups'))
    if (!(await killWhen(['backup', 'create'], env, () => countFiles(join(place, 'parts')) >= before + parts))) continue
    kills += 1
    // The manifest may have been written before the kill; then the backup is whole.
    const { kept: listed } = JSON.parse((await runCli(env, 'backup', 'list', '--json')).stdout)
    expect(listed.length - whole).toBeLessThanOrEqual(parts < 20 ? 0 : 1)
    if (listed.length === 0) expect((await runCli(env, 'backup', 'verify')).stderr).toContain('There is no backup')
    else expect((await runCli(env, 'backup', 'verify')).exitCode).toBe(0)
  }
  expect(kills).toBeGreaterThan(2)
  expect(await runCli(env, 'backup', 'create')).toMatchObject({ exitCode: 0, stderr: '' })
  expect((await runCli(env, 'backup', 'list')).stdout).toMatch(/failed .*The process that made it ended\./)
  await runCli(env, 'setting', 'set', 'backup.keep', '1')
  await runCli(env, 'backup', 'create')
  expect([countFiles(join(place, 'backups')), countFiles(join(place, '.drafts'))]).toEqual([1, 0])
  expect((await runCli(env, 'backup', 'verify')).exitCode).toBe(0)
})

test('a restore that is killed leaves a database that nothing starts with, and is begun again', async () => {
  await using api = await openInProcessApi()
  await using folder = await freshFolder()
  await using target = await emptyDatabase()
  await makeTraffic(api)
  const place = join(folder.path, 'backups')
  const { databaseUrl, dataDir, secret } = api.context.config
  const own = { DATABASE_URL: databaseUrl!, DATA_DIR: dataDir, SECRET: secret, BACKUP_KEY }
  expect((await runCli(own, 'backup', 'create', '--to', place)).exitCode).toBe(0)
  const db = openDb(target.url, { name: 'test', size: 1 })
  const isMarked = async () => {
    const [row] = await rows<{ found: boolean }>(
      db,
      "select to_regclass('public.coinop_restore') is not null and to_regclass('svc.account') is not null as found",
    )
    return row!.found
  }
  const restore = (to: string) => [
    'backup',
    'restore',
    place,
    '--database-url',
    target.url,
    '--data-dir',
    join(folder.path, to),
  ]
  expect(await killWhen(restore('first'), { BACKUP_KEY }, isMarked)).toBe(true)
  const started = await runCli({ DATABASE_URL: target.url, SECRET: secret }, 'migrate')
  expect(started).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('restore it again') })
  expect(await runCli({ BACKUP_KEY }, ...restore('second'))).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await checkInvariants(db)).toEqual([])
  await db.end()
})

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBackupId } from '../../../ops/backup/manifest.ts'
import { openDb, rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { emptyDatabase, freshDatabase } from '../../support/database/fresh.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runCli } from '../../support/stack/run-cli.ts'
import { makeTraffic, type Traffic } from '../../support/stack/varied-traffic.ts'

const KEY = 'correct horse battery staple'

let api: InProcessApi
let traffic: Traffic
let folder: Awaited<ReturnType<typeof freshFolder>>
beforeAll(async () => {
  ;[api, folder] = await Promise.all([openInProcessApi(), freshFolder()])
  traffic = await makeTraffic(api)
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

const place = () => join(folder.path, 'backups-of-the-test')
const env = (more: Record<string, string> = {}) => ({
  DATABASE_URL: api.context.config.databaseUrl!,
  DATA_DIR: api.context.config.dataDir,
  SECRET: api.context.config.secret,
  BACKUP_TO: place(),
  BACKUP_KEY: KEY,
  ...more,
})
const cli = (...args: string[]) => runCli(env(), ...args)
const json = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await cli(...args, '--json')
  if (exitCode !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
/** Restores into a new database and a new folder. */
const restore = async (from: string, url: string, dataDir: string, more: Record<string, string> = {}) =>
  runCli({ BACKUP_KEY: KEY, ...more }, 'backup', 'restore', from, '--database-url', url, '--data-dir', dataDir)
const listParts = (of: string) =>
  readdirSync(join(of, 'parts'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

/** What of a database must be the same in its copy. */
async function describe(url: string) {
  const db = openDb(url, { name: 'test', size: 1 })
  try {
    const read = async (text: string) => (await rows(db, text)).map(row => JSON.stringify(row, stringify))
    return {
      violations: await checkInvariants(db),
      entries: await read('select asset, ledger, sum(amount_micros) from svc.entry group by 1, 2 order by 1, 2'),
      balances: await read('select id, balance_micros, held_micros from svc.account order by id'),
      transfers: await read('select count(*), max(id) from svc.transfer'),
      months: await read(`select m.name, m.ends_at, exists (select from pg_index i
        where i.indrelid = ('svc.' || m.name)::regclass and i.indisprimary) as has_key from svc.transfer_month m order by 1`),
      objects: await read('select key, size_bytes, expires_at from svc.object order by key'),
      witnesses: await read('select * from svc.witness order by baton_id'),
      queued: await read('select id, task_id, payload, run_at from lane_step._private_jobs order by id'),
      next: await read(`select nextval(pg_get_serial_sequence('svc.transfer', 'id')) > max(id) from svc.transfer`),
    }
  } finally {
    await db.end()
  }
}
const stringify = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

test('a backup that was made while calls ran becomes an installation with everything in it', async () => {
  const calling = traffic.keepCalling()
  const made = await json('backup', 'create')
  expect(await calling.stop()).toBeGreaterThan(0)
  expect(made).toMatchObject({ absent: 0, removed: 0, objects: 2, copied: 2 })
  expect(await json('backup', 'list')).toMatchObject({ kept: [{ id: made.backup, objects: 2 }], others: [] })
  // Nothing runs from here on, so the second one is of what is compared.
  const last = await json('backup', 'create')
  expect(last).toMatchObject({ objects: 2, copied: 0 })
  await using target = await emptyDatabase()
  const dataDir = join(folder.path, 'restored')
  const restored = await restore(place(), target.url, dataDir)
  expect(restored).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('quiet until') })
  const copy = await describe(target.url)
  expect(copy).toEqual(await describe(env().DATABASE_URL))
  expect(copy.violations).toEqual([])
  const own = { DATABASE_URL: target.url, DATA_DIR: dataDir, SECRET: '' }
  const checked = await runCli(own, 'ledger', 'verify', '--json')
  expect(checked).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(checked.stdout)).toMatchObject({
    counts: { witnesses: 1, objects: 2, hashedObjects: 2, objectBytes: 340_000 },
  })
  await expectSameAnswers(own)
  // The first one is still there and can be restored too.
  await using earlier = await emptyDatabase()
  const first = await runCli(
    { BACKUP_KEY: KEY },
    ...['backup', 'restore', place(), made.backup, '--awake', '--database-url', earlier.url],
    ...['--data-dir', join(folder.path, 'restored-first')],
  )
  expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('It is awake') })
  expect((await describe(earlier.url)).violations).toEqual([])
})

/** Keys, tokens and links of the original are those of the copy. */
async function expectSameAnswers(own: Record<string, string>): Promise<void> {
  await using copy = await openInProcessApi(own)
  const ask = (url: string, headers: Record<string, string> = traffic.owner.headers) =>
    copy.app.inject({ method: 'GET', url, headers })
  const { drop, ledger, file, token } = traffic
  const byToken = await ask(`/v1/baton/${token}`, {})
  expect([byToken.statusCode, byToken.rawPayload.equals(drop.content)]).toEqual([200, true])
  expect((await ask(`/v1/baton/${ledger.id}`)).body).toBe(ledger.content)
  expect((await ask(`/api/storage/${file.leaseId}`)).rawPayload.equals(file.content)).toBe(true)
  const verified = await copy.app.inject({
    method: 'POST',
    url: `/v1/baton/${ledger.id}/trust/verify-chain`,
    headers: traffic.owner.headers,
    payload: { mode: 'full' },
  })
  expect(verified.json()).toMatchObject({ valid: true, witnessed: true })
  const proof = async (from: InProcessApi) => (await from.app.inject(`/v1/baton/${ledger.id}/trust/proof`)).json()
  expect(await proof(copy)).toEqual(await proof(api))
}

test('a backup with a changed byte, a missing part or another key is refused, and nothing is changed', async () => {
  const to = join(folder.path, 'damaged-parts')
  await cli('backup', 'create', '--to', to)
  await using target = await emptyDatabase()
  const dataDir = join(folder.path, 'refused')
  const expectRefusal = async (why: string, more: Record<string, string> = {}) => {
    const { exitCode, stderr } = await restore(to, target.url, dataDir, more)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(why)])
    expect(stderr.trim().split('\n')).toHaveLength(1)
    const db = openDb(target.url, { name: 'test', size: 1 })
    const [{ tables }] = (await rows(
      db,
      `select count(*) as tables from pg_tables where schemaname !~ '^(pg_|info)'`,
    )) as [{ tables: bigint }]
    await db.end()
    expect(tables).toBe(0n)
    expect(() => readdirSync(dataDir)).toThrow('ENOENT')
  }
  await expectRefusal('BACKUP_KEY is not the passphrase', { BACKUP_KEY: `${KEY}r` })
  for (const path of listParts(to)) {
    const bytes = readFileSync(path)
    const at = randomBytes(4).readUInt32BE() % bytes.length
    writeFileSync(path, Buffer.concat([bytes.subarray(0, at), Buffer.from([bytes[at]! ^ 1]), bytes.subarray(at + 1)]))
    const found = await cli('backup', 'verify', '--from', to)
    expect(found).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('not as it was written') })
    writeFileSync(path, bytes)
  }
  expect(await cli('backup', 'verify', '--from', to)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('whole'),
  })
  const { path, bytes } = findNeededPart(to)
  writeFileSync(path, bytes.subarray(0, -1))
  await expectRefusal('not as it was written')
  rmSync(path)
  await expectRefusal('is missing')
  writeFileSync(path, bytes)
  const manifest = join(to, 'backups', readdirSync(join(to, 'backups')).sort().at(-1)!)
  const text = readFileSync(manifest, 'utf8')
  writeFileSync(manifest, text.replace('"rows":', '"rows":1'))
  await expectRefusal('was changed after it was written')
  writeFileSync(manifest, text.slice(0, -40))
  await expectRefusal('is damaged')
  expect((await runCli(env({ BACKUP_TO: to }), 'backup', 'list')).stdout.split('\n')[1]).toMatch(/ damaged /)
  writeFileSync(manifest, text)
})

test('an object that the database names and the store no longer has is reported', async () => {
  const [{ key }] = (await rows(api.context.db, "select key from svc.object where kind = 'baton'")) as [{ key: string }]
  const path = api.context.store.localPath!(key)
  renameSync(path, `${path}.gone`)
  const made = await json('backup', 'create')
  renameSync(`${path}.gone`, path)
  expect(made).toMatchObject({ absent: 1, absentKeys: [key], objects: 1 })
  expect(await json('backup', 'verify')).toMatchObject({ absent: 1, absentKeys: [key], objects: 1 })
})

test('ids of backups sort by their times, also within a second', () => {
  const times = ['36.000', '36.009', '36.010', '36.255', '36.999', '37.000'].map(
    end => new Date(`2026-11-26T02:36:${end}Z`),
  )
  const ids = times.map(createBackupId)
  expect([...ids].sort()).toEqual(ids)
  expect(ids[3]).toMatch(/^20261126-023636-0ff[0-9a-f]{3}$/)
})

test('what was lost of the earlier backup is copied again', async () => {
  const to = join(folder.path, 'lost-parts')
  const create = () => cli('backup', 'create', '--to', to, '--json')
  const readNewest = () => {
    const newest = readdirSync(join(to, 'backups')).sort().at(-1)!
    return JSON.parse(readFileSync(join(to, 'backups', newest), 'utf8')).manifest
  }
  expect(JSON.parse((await create()).stdout)).toMatchObject({ objects: 2, copied: 2 })
  const ofTheFirst = new Set(readdirSync(join(to, 'parts'), { recursive: true }).map(name => `parts/${name}`))
  const { tables, objects, secrets } = readNewest()
  for (const { part } of [...tables, objects, { part: secrets }]) ofTheFirst.delete(part?.name)
  for (const name of ofTheFirst) if (/\/\w{48}$/.test(name)) rmSync(join(to, name))
  expect(JSON.parse((await create()).stdout)).toMatchObject({ objects: 2, copied: 2 })
  expect((await cli('backup', 'verify', '--from', to)).stdout).toContain('whole')
  for (const damage of [rmSync, (path: string) => writeFileSync(path, readFileSync(path).fill(0, 60, 64))]) {
    damage(join(to, readNewest().objects.part.name))
    expect((await create()).stderr).toContain('was made, but older ones could not be removed')
    expect((await cli('backup', 'verify', '--from', to)).stdout).toContain('whole')
  }
})

/** A part of a table in the newest backup. */
function findNeededPart(from: string): { path: string; bytes: Buffer } {
  const newest = readdirSync(join(from, 'backups')).sort().at(-1)!
  const { manifest } = JSON.parse(readFileSync(join(from, 'backups', newest), 'utf8'))
  const path = join(from, manifest.tables.find((table: { part?: object }) => table.part).part.name)
  return { path, bytes: readFileSync(path) }
}

test('a database or a folder with something in it is refused, and so is a place with backups of others', async () => {
  await using other = await freshDatabase()
  const dataDir = join(folder.path, 'occupied')
  const occupied = await restore(place(), other.url, dataDir)
  expect(occupied).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('The database is not empty') })
  await using empty = await emptyDatabase()
  const full = await restore(place(), empty.url, folder.path)
  expect(full).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is not empty') })
  const ofFile = await restore(place(), empty.url, join(place(), 'backups', readdirSync(join(place(), 'backups'))[0]!))
  expect(ofFile).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^coinop: The data folder .* is a file/) })
  const db = openDb(other.url, { name: 'test', size: 1 })
  await rows(db, 'update svc.installation set id = gen_random_uuid()')
  await db.end()
  const foreign = await runCli(env({ DATABASE_URL: other.url }), 'backup', 'create')
  expect(foreign).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('backups of another installation') })
  const failed = await runCli(env({ DATABASE_URL: other.url, BACKUP_TO: '' }), 'backup', 'list')
  expect(failed.stdout).toMatch(/failed .*backups of another installation/)
})

test('a place that is mistyped is refused, and is no backup that failed', async () => {
  const file = join(folder.path, 'a-file')
  writeFileSync(file, '')
  const countFailed = async () => (await cli('backup', 'list')).stdout.split('\n').filter(line => / failed /.test(line))
  const before = await countFailed()
  for (const [to, reason] of [
    [file, 'a-file cannot be used for backups'],
    [join(file, 'below'), 'cannot be used for backups'],
    ['/proc/backups', '/proc/backups cannot be used for backups'],
    ['s4://bucket/prefix', 'Backups go to a folder or to s3://bucket/prefix'],
    ['https://bucket.example', 'Backups go to a folder or to s3://bucket/prefix'],
  ] as const)
    expect(await cli('backup', 'create', '--to', to)).toMatchObject({
      exitCode: expect.any(Number),
      stderr: expect.stringContaining(reason),
    })
  expect(await countFailed()).toEqual(before)
})

test('only as many are kept as the setting says, and their parts go with them', async () => {
  await cli('setting', 'set', 'backup.keep', '1')
  const made = await json('backup', 'create')
  expect(made.removed).toBeGreaterThan(0)
  expect(await json('backup', 'list')).toMatchObject({ kept: [{ id: made.backup }] })
  const verified = await json('backup', 'verify')
  expect(verified).toMatchObject({ backup: made.backup, objects: made.objects, rows: made.rows })
})

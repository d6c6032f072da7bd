import { once } from 'node:events'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { execaNode, type ResultPromise } from 'execa'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pollUntil } from '../../ops/back-off.ts'
import { endPostgres, findPostgres, startPostgres } from '../../ops/embedded/postgres.ts'
import { freshFolder } from '../support/machine/folder.ts'

const KEEPER_SCRIPT = fileURLToPath(new URL('../support/database/keep-postgres.ts', import.meta.url))
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

interface KeeperProcess {
  keeper: ResultPromise
  url: string
  isAdopted: boolean
  pid: number
}

async function startKeeper(dataDir: string): Promise<KeeperProcess> {
  const keeper = execaNode(KEEPER_SCRIPT, [dataDir], { nodeOptions: [], reject: false })
  const lines = createInterface(keeper.stdout)
  lines.on('error', () => undefined)
  const [line] = (await Promise.race([once(lines, 'line'), keeper.then(({ stderr }) => [stderr])])) as [string]
  return { keeper, ...(JSON.parse(line) as Omit<KeeperProcess, 'keeper'>) }
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

/** A data folder with a cluster that has been set up and stopped: setting one up is most of what a first start does. */
let settled: Awaited<ReturnType<typeof createDataDir>>
beforeAll(async () => {
  settled = await createDataDir()
  await (await startPostgres({ dataDir: settled.dataDir, log: quiet, isDurable: false })).stop()
})
afterAll(() => settled[Symbol.asyncDispose]())

async function createDataDir() {
  const folder = await freshFolder()
  const dataDir = join(folder.path, 'data')
  return {
    dataDir,
    async [Symbol.asyncDispose]() {
      if (existsSync(dataDir)) await endPostgres(dataDir)
      await folder[Symbol.asyncDispose]()
    },
  }
}

async function copySettled() {
  const data = await createDataDir()
  await cp(settled.dataDir, data.dataDir, { recursive: true, verbatimSymlinks: true })
  return data
}

test('creates a UTF-8 cluster with checksums on its own socket, and keeps its data', async () => {
  await using data = await copySettled()
  const first = await startPostgres({ dataDir: data.dataDir, log: quiet, isDurable: false })
  const facts = await query(
    first.url,
    `select current_setting('data_checksums'), current_setting('listen_addresses'), pg_encoding_to_char(encoding),
      datlocale from pg_database where datname = current_database()`,
  )
  expect(facts).toEqual(['on', '', 'UTF8', 'C.UTF-8'])
  await query(first.url, `create table kept as select 'ß' as word`)
  await first.stop()
  expect(findPostgres(data.dataDir)).toBeUndefined()
  const second = await startPostgres({ dataDir: data.dataDir, log: quiet, isDurable: false })
  expect(await query(second.url, 'select word from kept')).toEqual(['ß'])
  expect(second).toMatchObject({ isAdopted: false, url: first.url })
  await second.stop()
  for (const name of ['postgres', 'run']) expect(statSync(join(settled.dataDir, name)).mode & 0o077).toBe(0)
})

test('a killed supervisor leaves Postgres running, and the next one adopts it', async () => {
  await using data = await copySettled()
  const first = await startKeeper(data.dataDir)
  first.keeper.kill('SIGKILL')
  await first.keeper
  expect(findPostgres(data.dataDir)).toEqual({ url: first.url })
  const second = await startKeeper(data.dataDir)
  expect(second).toMatchObject({ isAdopted: true, pid: first.pid, url: first.url })
  second.keeper.kill('SIGTERM')
  await second.keeper
  expect(existsSync(join(data.dataDir, 'postgres/postmaster.pid'))).toBe(false)
})

test('a killed Postgres is restarted by its supervisor', async () => {
  await using data = await copySettled()
  const postgres = await startPostgres({ dataDir: data.dataDir, log: quiet, isDurable: false })
  await query(postgres.url, 'create table kept as select 1 as number')
  const killed = postgres.pid()
  process.kill(killed, 'SIGKILL')
  const again = await pollUntil(() => (postgres.pid() === killed ? undefined : postgres.pid()), { withinMs: 120_000 })
  expect(again).toBeGreaterThan(0)
  expect(await query(postgres.url, 'select number from kept')).toEqual([1])
  await postgres.stop()
})

test('after supervisor and Postgres are both killed, the next start works', async () => {
  await using data = await copySettled()
  const { keeper, pid, url } = await startKeeper(data.dataDir)
  keeper.kill('SIGKILL')
  process.kill(pid, 'SIGKILL')
  await keeper
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
  const next = await startPostgres({ dataDir: data.dataDir, log: quiet, isDurable: false })
  expect(next.isAdopted).toBe(false)
  expect(await query(url, 'select 1')).toEqual([1])
  await next.stop()
})

test('a process that reuses the pid of a dead Postgres is not mistaken for it', async () => {
  await using data = await copySettled()
  writeFileSync(
    join(data.dataDir, 'postgres/postmaster.pid'),
    `${process.ppid}\n${data.dataDir}/postgres\n1\n5432\n\n\n`,
  )
  const next = await startPostgres({ dataDir: data.dataDir, log: quiet, isDurable: false })
  expect(await query(next.url, 'select 1')).toEqual([1])
  await next.stop()
})

test('an interrupted set-up is repeated', async () => {
  await using data = await createDataDir()
  mkdirSync(join(data.dataDir, 'postgres.new/base'), { recursive: true })
  const postgres = await startPostgres({ dataDir: data.dataDir, log: quiet, isDurable: false })
  expect(await query(postgres.url, 'select 1')).toEqual([1])
  await postgres.stop()
})

test('a second owner of the same data folder is told the pid of the first', async () => {
  await using data = await copySettled()
  const postgres = await startPostgres({ dataDir: data.dataDir, log: quiet, isDurable: false })
  const second = startPostgres({ dataDir: data.dataDir, log: quiet, isDurable: false, lockTimeoutMs: 0 })
  await expect(second).rejects.toThrow(`is already in use by process ${process.pid};`)
  await postgres.stop()
})

test('the cluster of another Postgres release is rejected with an explanation', async () => {
  await using data = await createDataDir()
  mkdirSync(join(data.dataDir, 'postgres'), { recursive: true })
  writeFileSync(join(data.dataDir, 'postgres/PG_VERSION'), '17\n')
  const start = startPostgres({ dataDir: data.dataDir, log: quiet, isDurable: false })
  await expect(start).rejects.toThrow('was written by Postgres 17 and this release comes with 18')
})

test('a data folder too deep for a socket path gets a socket folder in /tmp', async () => {
  await using data = await createDataDir()
  const dataDir = join(data.dataDir, 'deep'.repeat(30))
  const postgres = await startPostgres({ dataDir, log: quiet, isDurable: false })
  const socketDir = new URL(postgres.url).searchParams.get('host')!
  expect(socketDir).toMatch(/^\/tmp\/coinop-[0-9a-f]{16}$/)
  expect(statSync(socketDir).mode & 0o777).toBe(0o700)
  expect(await query(postgres.url, 'select 1')).toEqual([1])
  await postgres.stop()
  await rm(socketDir, { recursive: true })
})

import { once } from 'node:events'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { execaNode, type ResultPromise } from 'execa'
import pg from 'pg'
import { expect, test } from 'vitest'
import { until } from '../../ops/back-off.ts'
import { endPostgres, findPostgres, startPostgres } from '../../ops/embedded/postgres.ts'
import { freshFolder } from '../support/folder.ts'

const KEEPER = fileURLToPath(new URL('../support/keep-postgres.ts', import.meta.url))
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

interface Kept {
  keeper: ResultPromise
  url: string
  adopted: boolean
  pid: number
}

async function keep(dataDir: string): Promise<Kept> {
  const keeper = execaNode(KEEPER, [dataDir], { reject: false })
  const lines = createInterface(keeper.stdout)
  lines.on('error', () => undefined)
  const [line] = (await Promise.race([once(lines, 'line'), keeper.then(({ stderr }) => [stderr])])) as [string]
  return { keeper, ...(JSON.parse(line) as Omit<Kept, 'keeper'>) }
}

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

async function freshData() {
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

test('sets up a checked UTF-8 cluster on a socket of its own, and keeps its data', async () => {
  await using data = await freshData()
  const first = await startPostgres({ dataDir: data.dataDir, log: quiet, durable: false })
  const facts = await ask(
    first.url,
    `select current_setting('data_checksums'), current_setting('listen_addresses'), pg_encoding_to_char(encoding),
      datlocale from pg_database where datname = current_database()`,
  )
  expect(facts).toEqual(['on', '', 'UTF8', 'C.UTF-8'])
  await ask(first.url, `create table kept as select 'ß' as word`)
  await first.stop()
  expect(findPostgres(data.dataDir)).toBeUndefined()
  const second = await startPostgres({ dataDir: data.dataDir, log: quiet, durable: false })
  expect(await ask(second.url, 'select word from kept')).toEqual(['ß'])
  expect(second).toMatchObject({ adopted: false, url: first.url })
  await second.stop()
  for (const name of ['postgres', 'run']) expect(statSync(join(data.dataDir, name)).mode & 0o077).toBe(0)
})

test('a killed keeper leaves Postgres running, and the next one adopts it', async () => {
  await using data = await freshData()
  const first = await keep(data.dataDir)
  first.keeper.kill('SIGKILL')
  await first.keeper
  expect(findPostgres(data.dataDir)).toEqual({ url: first.url })
  const second = await keep(data.dataDir)
  expect(second).toMatchObject({ adopted: true, pid: first.pid, url: first.url })
  second.keeper.kill('SIGTERM')
  await second.keeper
  expect(existsSync(join(data.dataDir, 'postgres/postmaster.pid'))).toBe(false)
})

test('a killed Postgres is started again by its keeper', async () => {
  await using data = await freshData()
  const postgres = await startPostgres({ dataDir: data.dataDir, log: quiet, durable: false })
  await ask(postgres.url, 'create table kept as select 1 as number')
  const killed = postgres.pid()
  process.kill(killed, 'SIGKILL')
  const again = await until(() => (postgres.pid() === killed ? undefined : postgres.pid()), { withinMs: 20_000 })
  expect(again).toBeGreaterThan(0)
  expect(await ask(postgres.url, 'select number from kept')).toEqual([1])
  await postgres.stop()
})

test('after keeper and Postgres are both killed, the next start replaces what they left', async () => {
  await using data = await freshData()
  const { keeper, pid, url } = await keep(data.dataDir)
  keeper.kill('SIGKILL')
  process.kill(pid, 'SIGKILL')
  await keeper
  await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 10_000 }).toBe(false)
  const next = await startPostgres({ dataDir: data.dataDir, log: quiet, durable: false })
  expect(next.adopted).toBe(false)
  expect(await ask(url, 'select 1')).toEqual([1])
  await next.stop()
})

test('a process that now has the number of a dead Postgres is not taken for it', async () => {
  await using data = await freshData()
  await (await startPostgres({ dataDir: data.dataDir, log: quiet, durable: false })).stop()
  writeFileSync(
    join(data.dataDir, 'postgres/postmaster.pid'),
    `${process.ppid}\n${data.dataDir}/postgres\n1\n5432\n\n\n`,
  )
  const next = await startPostgres({ dataDir: data.dataDir, log: quiet, durable: false })
  expect(await ask(next.url, 'select 1')).toEqual([1])
  await next.stop()
})

test('a set-up that was cut off is begun anew', async () => {
  await using data = await freshData()
  mkdirSync(join(data.dataDir, 'postgres.new/base'), { recursive: true })
  const postgres = await startPostgres({ dataDir: data.dataDir, log: quiet, durable: false })
  expect(await ask(postgres.url, 'select 1')).toEqual([1])
  await postgres.stop()
})

test('a second owner of the same data folder is told who the first one is', async () => {
  await using data = await freshData()
  const postgres = await startPostgres({ dataDir: data.dataDir, log: quiet, durable: false })
  const second = startPostgres({ dataDir: data.dataDir, log: quiet, durable: false, patienceMs: 0 })
  await expect(second).rejects.toThrow(`is already in use by process ${process.pid};`)
  await postgres.stop()
})

test('the cluster of another release is refused in words', async () => {
  await using data = await freshData()
  mkdirSync(join(data.dataDir, 'postgres'), { recursive: true })
  writeFileSync(join(data.dataDir, 'postgres/PG_VERSION'), '17\n')
  const start = startPostgres({ dataDir: data.dataDir, log: quiet, durable: false })
  await expect(start).rejects.toThrow('was written by Postgres 17 and this release brings 18')
})

test('a data folder too deep for a socket path gets a short folder for it', async () => {
  await using data = await freshData()
  const dataDir = join(data.dataDir, 'deep'.repeat(30))
  const postgres = await startPostgres({ dataDir, log: quiet, durable: false })
  const socketDir = new URL(postgres.url).searchParams.get('host')!
  expect(socketDir).toMatch(/^\/tmp\/coinop-[0-9a-f]{16}$/)
  expect(statSync(socketDir).mode & 0o777).toBe(0o700)
  expect(await ask(postgres.url, 'select 1')).toEqual([1])
  await postgres.stop()
  await rm(socketDir, { recursive: true })
})

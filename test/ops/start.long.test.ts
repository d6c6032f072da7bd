import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execaNode, type ResultPromise } from 'execa'
import { expect, test } from 'vitest'
import { pollUntil } from '../../ops/back-off.ts'
import { readResidentBytes } from '../../ops/bench/processor-time.ts'
import { endPostgres } from '../../ops/embedded/postgres.ts'
import { freePorts } from '../../ops/free-ports.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { copyImage } from '../support/machine/image.ts'

const START = fileURLToPath(new URL('../../ops/start.ts', import.meta.url))
const GRADIENT = fileURLToPath(new URL('../../tasks/samples/gradient.png', import.meta.url))
const POLLING = { withinMs: 240_000, everyMs: 50 }

interface Service extends AsyncDisposable {
  process: ResultPromise
  output(): string
  ready(): Promise<string>
}

function start(env: Record<string, string>, script = START): Service {
  const process = execaNode(script, [], {
    env: { ADMIN_PORT: '0', WORKER_ADMIN_PORT: '0', LOG_LEVEL: 'warn', ...env },
    // Without those of the test runner, which every process below it would load.
    nodeOptions: [],
    reject: false,
    all: true,
    // The supervisor gives its roles nine seconds.
    forceKillAfterDelay: 20_000,
  })
  let text = ''
  process.all.on('data', chunk => {
    text += String(chunk)
  })
  const ready = async () => {
    const output = await pollUntil(() => (/coinop is ready|^coinop: /m.test(text) ? text : undefined), POLLING)
    if (!output?.includes('coinop is ready')) throw new Error(`not ready: ${text}`)
    return text
  }
  const end = async () => {
    process.kill('SIGTERM')
    await process
  }
  return { process, output: () => text, ready, [Symbol.asyncDispose]: end }
}

async function findFreePort(): Promise<string> {
  return String((await freePorts(1))[0])
}

function readProcesses(dataDir: string): [string, number][] {
  return Object.entries(JSON.parse(readFileSync(join(dataDir, 'processes.json'), 'utf8')) as Record<string, number>)
}

function readPid(dataDir: string, role: string): number {
  return readProcesses(dataDir).find(([script]) => script.includes(`/${role}/`))![1]
}

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

async function callHash(dataDir: string, text = 'hello'): Promise<{ status: number; body: unknown }> {
  const { baseUrl, apiKey } = JSON.parse(readFileSync(join(dataDir, 'dev.json'), 'utf8')) as Record<string, string>
  const reply = await fetch(`${baseUrl}/v1/utils/hash`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  })
  return { status: reply.status, body: await reply.json() }
}

async function readStatus(baseUrl: string): Promise<unknown> {
  const status = (await (await fetch(`${baseUrl}/v1/status`)).json()) as { state: unknown }
  return status.state
}

/** What is printed beside the steps, which begin with a time. */
function findMessage(output: unknown): string {
  return String(output)
    .split('\n')
    .filter(line => !/^ *\d+\.\d s {2}/.test(line))
    .join('\n')
}

/** Longer than what the api hashes itself, so that the worker does. */
const LONG_TEXT = 'long '.repeat(20_000)
const HELLO = { hashes: { sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824' } }

async function createDataDir() {
  const folder = await freshFolder()
  const dataDir = join(folder.path, 'data')
  return {
    dataDir,
    async [Symbol.asyncDispose]() {
      await endPostgres(dataDir).catch(() => undefined)
      await folder[Symbol.asyncDispose]()
    },
  }
}

test('one command serves paid calls with the files of the image, restarts what is killed, and leaves no process behind', async () => {
  await using data = await createDataDir()
  await using image = await freshFolder()
  copyImage(image.path)
  const script = join(image.path, 'ops/start.ts')
  const { dataDir } = data
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const ADMIN_PORT = String((other.address() as { port: number }).port)
  const env = { DATA_DIR: dataDir, PORT: await findFreePort(), ADMIN_PORT, NODE_ENV: 'production' }
  await using first = start(env, script)
  const greeting = await first.ready()
  const access = readFileSync(join(dataDir, 'dev.json'), 'utf8')
  expect(statSync(join(dataDir, 'dev.json')).mode & 0o777).toBe(0o600)
  const { baseUrl, apiKey } = JSON.parse(access) as Record<string, string>
  for (const word of [
    baseUrl,
    `${baseUrl}/docs`,
    apiKey,
    'curl',
    `ports      ${env.PORT} (the service)`,
    `another program has ${ADMIN_PORT}`,
  ])
    expect(greeting).toContain(word)
  other.close()
  for (const step of ['Postgres is running', 'the database is up to date', 'the api is ready', 'the worker is ready']) {
    expect(greeting).toMatch(new RegExp(`^ *\\d+\\.\\d s {2}${step}$`, 'm'))
  }
  expect(await callHash(dataDir)).toMatchObject({ status: 200, body: HELLO })
  expect(await callHash(dataDir, LONG_TEXT)).toMatchObject({ status: 200, body: { sizeBytes: LONG_TEXT.length } })
  const isOperational = async () => (await readStatus(baseUrl!)) === 'operational' || undefined
  expect(await pollUntil(isOperational, POLLING)).toBe(true)
  const sample = await fetch(`${baseUrl}/docs/samples/gradient.png`)
  expect(Buffer.from(await sample.arrayBuffer()).equals(readFileSync(GRADIENT))).toBe(true)

  for (const role of ['workers', 'api']) {
    const killed = readPid(dataDir, role)
    process.kill(killed, 'SIGKILL')
    expect(await pollUntil(() => readPid(dataDir, role) !== killed || undefined, POLLING)).toBe(true)
  }
  expect(first.output()).toContain('worker exited unexpectedly and is restarted')
  const reply = await pollUntil(() => callHash(dataDir).catch(() => undefined), POLLING)
  expect(reply).toMatchObject({ status: 200, body: HELLO })

  const roles = readProcesses(dataDir).map(([, pid]) => pid)
  const refused = await start({ ...env, PORT: await findFreePort() }, script).process
  expect([refused.exitCode, findMessage(refused.all)]).toEqual([
    1,
    `coinop: The data folder ${dataDir} is already in use by process ${first.process.pid}; stop that one or set DATA_DIR.`,
  ])
  expect(readProcesses(dataDir).map(([, pid]) => pid)).toEqual(roles)
  expect(roles.every(isAlive)).toBe(true)

  first.process.kill('SIGKILL')
  await first.process
  await using second = start(env, script)
  await second.ready()
  expect(roles.filter(isAlive)).toEqual([])
  expect(readFileSync(join(dataDir, 'dev.json'), 'utf8')).toBe(access)
  expect(await callHash(dataDir)).toMatchObject({ status: 200, body: HELLO })
  expect(readResidentBytes(readPid(dataDir, 'api'))).toBeLessThan(220e6)
  expect(readResidentBytes(readPid(dataDir, 'workers'))).toBeLessThan(250e6)

  const all = readProcesses(dataDir).map(([, pid]) => pid)
  const postmaster = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  second.process.kill('SIGTERM')
  expect(await second.process).toMatchObject({ exitCode: 0 })
  expect([...all, postmaster].filter(isAlive)).toEqual([])
})

test('a port that is in use is reported in one sentence, before a database is set up', async () => {
  await using data = await createDataDir()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = String((server.address() as { port: number }).port)
  const { exitCode, all } = await start({ DATA_DIR: data.dataDir, PORT: port }).process
  server.close()
  expect(exitCode).toBe(1)
  expect(findMessage(all)).toBe(
    `coinop: PORT ${port} is already in use on 127.0.0.1; stop the program that listens there or set PORT.`,
  )
  expect(existsSync(join(data.dataDir, 'postgres'))).toBe(false)
})

test('an invalid variable stops the start with one sentence that names it', async () => {
  const { exitCode, all } = await start({ PORT: 'http' }).process
  expect(exitCode).toBe(1)
  expect(all).toBe('coinop: PORT must be a whole number from 1 to 65535, not "http".')
})

test('ports of the service that are the same stop the start with one sentence', async () => {
  await using data = await createDataDir()
  const env = { DATA_DIR: data.dataDir, PORT: '4650', WORKER_ADMIN_PORT: '4650', ADMIN_HOST: '0.0.0.0' }
  const { exitCode, all } = await start(env).process
  expect([exitCode, all]).toEqual([
    1,
    'coinop: PORT and WORKER_ADMIN_PORT are both 4650; set one of them to another port.',
  ])
})

test('an unreachable database stops the start with one sentence', async () => {
  await using data = await createDataDir()
  const env = {
    DATA_DIR: data.dataDir,
    PORT: await findFreePort(),
    DATABASE_URL: 'postgres://somebody:hunter2@127.0.0.1:1/x',
  }
  const { exitCode, all } = await start(env).process
  expect(exitCode).toBe(1)
  expect(findMessage(all)).toBe(
    'coinop: The database of DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1.',
  )
})

test.each([
  ['a folder that cannot be created', { DATA_DIR: '/proc/nope' }],
  ['the same with a secret given', { DATA_DIR: '/proc/nope', SECRET: 'a secret that is long enough for a start' }],
  ['a file', { DATA_DIR: START }],
])('%s as DATA_DIR stops the start with one sentence', async (_name, env) => {
  const { exitCode, all } = await start(env).process
  expect(exitCode).toBe(1)
  expect(all).toMatch(/^coinop: DATA_DIR must be a folder this user may write to \(.*\)\.$/)
})

test('a signal while Postgres is set up ends the start and leaves no process', async () => {
  await using data = await createDataDir()
  const service = start({ DATA_DIR: data.dataDir, PORT: await findFreePort() })
  await pollUntil(() => (existsSync(join(data.dataDir, 'postgres.new')) ? true : undefined), POLLING)
  service.process.kill('SIGTERM')
  expect(await service.process).toMatchObject({ exitCode: 0 })
  expect(service.output()).not.toContain('coinop is ready')
  expect(existsSync(join(data.dataDir, 'postgres'))).toBe(false)
})

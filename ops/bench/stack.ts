import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Lane } from '#kit'
import { createAccount, creditAccount } from '../../sql/account.ts'
import { type DbPool, openDb, rows } from '../../sql/db.ts'
import { createKey } from '../../sql/key.ts'
import { type SettingName, writeSetting } from '../../sql/setting.ts'
import { pollUntil } from '../back-off.ts'
import { type Config, loadConfig } from '../config.ts'
import { findFreePort } from '../free-ports.ts'
import { openStore } from '../providers/storage/open.ts'
import { hashApiKey } from '../secrets.ts'
import type { BenchEnvironment } from './environment.ts'
import type { Call } from './load/run.ts'
import { type Role, type RoleOptions, startRole } from './role.ts'

interface StackOptions {
  accounts?: number
  workers?: number
  lanes?: readonly Lane[]
  settings?: Partial<Record<SettingName, number>>
  /** Additional variables for both roles. */
  env?: Record<string, string>
}

/** A whole service with its own database and data folder: one api, workers, and accounts with money and keys. */
export interface Stack extends AsyncDisposable {
  baseUrl: string
  databaseUrl: string
  db: DbPool
  config: Config
  accounts: readonly string[]
  keys: readonly string[]
  api: Role
  workers: Role[]
  addWorker(): Promise<Role>
  logPath: string
}

const DEFAULT_ACCOUNTS = 64
const CREDIT_MICROS = 10n ** 15n
const UNLIMITED_RATE = 100_000_000

export async function openStack(environment: BenchEnvironment, options: StackOptions = {}): Promise<Stack> {
  const database = await environment.newDatabase()
  const folder = await mkdtemp(join(environment.folder, 'stack-'))
  const port = await findFreePort()
  const env = buildEnvironment(environment, { ...options, databaseUrl: database.url, folder, port })
  const config = loadConfig(env)
  const db = openDb(database.url, { name: 'bench', size: 4 })
  await writeSettings(db, options.settings ?? {})
  const { accounts, keys } = await createAccounts(db, config.secret, options.accounts ?? DEFAULT_ACCOUNTS)
  const logPath = join(folder, 'log')
  const start = (script: RoleOptions['script']) => startRole({ script, env, logPath })
  const workers: Role[] = []
  const addWorker = async () => {
    const worker = await start('workers/main.ts')
    workers.push(worker)
    return worker
  }
  const api = await start('api/main.ts')
  for (let count = options.workers ?? 1; count > 0; count--) await addWorker()
  const stack = { baseUrl: `http://127.0.0.1:${port}`, databaseUrl: database.url, db, config, logPath }
  return {
    ...stack,
    ...{ accounts, keys, api, workers, addWorker },
    async [Symbol.asyncDispose]() {
      await Promise.all([api, ...workers].map(role => role.stop()))
      await db.end()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Sends one call first, so that a call that fails is not measured; gives its answer. */
export async function verifyCall(stack: Stack, call: Call, status = 200): Promise<Response> {
  const headers = { ...call.headers, authorization: `Bearer ${call.keys[0]}` }
  const ask = async () => {
    const reply = await fetch(stack.baseUrl + call.path, { method: 'POST', headers, body: Buffer.from(call.body) })
    return reply.status === 503 ? undefined : reply
  }
  const reply = await pollUntil(ask, { withinMs: 10_000, everyMs: 100 })
  if (reply?.status === status) return reply
  const answer = (await reply?.text())?.slice(0, 300) ?? 'BUSY'
  throw new Error(`${call.path} answered ${reply?.status ?? 503}: ${answer}\n${readLastWarnings(stack.logPath)}`)
}

function readLastWarnings(logPath: string): string {
  const lines = readFileSync(logPath, 'utf8').trim().split('\n')
  return lines
    .filter(line => !line.includes('"level":"info"'))
    .slice(-3)
    .join('\n')
}

/** Throws if a job failed or expired, because then the measurement is invalid. */
export async function requireNoFailedJobs({ db }: Stack): Promise<void> {
  const problems = await rows<{ problem: string }>(
    db,
    `select service_key || ' ' || status || ' ' || coalesce(problem::text, '') as problem from svc.job
      where status in ('failed', 'expired') limit 1`,
  )
  if (problems.length > 0) throw new Error(`a job did not succeed: ${problems[0]!.problem}`)
}

/** Stores a file as an upload of the account and gives its key. */
export async function storeUpload(stack: Stack, account: string, bytes: Uint8Array, type: string): Promise<string> {
  const key = `scratch/${account}/${crypto.randomUUID()}`
  await openStore(stack.config).put(key, bytes, { contentType: type })
  await stack.db.query({
    text: `insert into svc.object (key, account_id, kind, size_bytes, content_type, expires_at)
      values ($1, $2, 'upload', $3, $4, now() + interval '1 day')`,
    values: [key, account, bytes.length, type],
  })
  return key
}

function buildEnvironment(
  environment: BenchEnvironment,
  stack: StackOptions & { databaseUrl: string; folder: string; port: number },
): Record<string, string> {
  return {
    DATABASE_URL: stack.databaseUrl,
    DATA_DIR: stack.folder,
    PORT: String(stack.port),
    ADMIN_PORT: '0',
    WORKER_ADMIN_PORT: '0',
    SECRET: 'the secret of a measurement',
    NODE_COMPILE_CACHE: join(environment.folder, 'compile-cache'),
    ...(stack.lanes ? { LANES: stack.lanes.join(',') } : {}),
    ...stack.env,
  }
}

export async function writeSettings(db: DbPool, settings: Partial<Record<SettingName, number>>): Promise<void> {
  const all = { 'rate.key_per_minute': UNLIMITED_RATE, 'rate.ip_per_minute': UNLIMITED_RATE, ...settings }
  for (const [name, next] of Object.entries(all)) await writeSetting(db, name, next)
}

export async function createAccounts(db: DbPool, secret: string, count: number) {
  const accounts: string[] = []
  const keys: string[] = []
  for (let index = 0; index < count; index++) {
    const { id } = await createAccount(db, { name: `bench ${index}` })
    await creditAccount(db, { accountId: id, amountMicros: CREDIT_MICROS, reference: 'bench' })
    accounts.push(id)
    keys.push(await createKey(db, { accountId: id, mode: 'test', hash: key => hashApiKey(secret, key) }))
  }
  return { accounts, keys }
}

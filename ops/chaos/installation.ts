import { closeSync, openSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DbPool, openDb } from '../../sql/db.ts'
import { pollUntil } from '../back-off.ts'
import { openBenchEnvironment } from '../bench/environment.ts'
import { buildCleanEnvironment } from '../bench/role.ts'
import { createAccounts, writeSettings } from '../bench/stack.ts'
import { loadConfig } from '../config.ts'
import { findFreePort } from '../free-ports.ts'
import { type SupervisedProcess, superviseProcess } from '../supervisor/supervised-process.ts'
import { type ModelProvider, openModelProvider } from './doubles/model-provider.ts'
import { openReceiver, type Receiver } from './doubles/receiver.ts'
import { openSmallDisk, type SmallDisk } from './small-disk.ts'

const ROOT = new URL('../../', import.meta.url)
const DISK_MIB = 256
const STOP_TIMEOUT_MS = 12_000
const HEALTHY_WITHIN_MS = 60_000
const SETTINGS = {
  'rate.channel_calls_per_minute': 1_000_000,
  'rate.claims_per_minute': 1_000_000,
  'rate.claims_per_link_per_minute': 1_000_000,
} as const

/** The whole service as it runs on one host: a durable Postgres, two apis and two workers under the real supervisor. */
export interface Installation extends AsyncDisposable {
  urls: readonly string[]
  apis: readonly SupervisedProcess[]
  workers: readonly SupervisedProcess[]
  /** For what an operator sees. Stories call the apis only. */
  db: DbPool
  postgresPid(): number
  provider: ModelProvider
  receiver: Receiver
  /** Holds the data folder; undefined if this user may not mount one. */
  disk: SmallDisk | undefined
  accounts: readonly { id: string; key: string }[]
  logPath: string
  /** Whether both apis accept work. */
  isHealthy(): Promise<boolean>
}

export async function openInstallation(dataDir: string, accountCount: number): Promise<Installation> {
  await using startup = new AsyncDisposableStack()
  const environment = startup.use(await openBenchEnvironment(dataDir))
  const provider = startup.use(await openModelProvider())
  const receiver = startup.use(await openReceiver())
  const disk = await openSmallDisk(DISK_MIB)
  if (disk) startup.use(disk)
  const database = await environment.newDatabase()
  const folder = disk?.path ?? join(environment.folder, 'data')
  await mkdir(folder, { recursive: true })
  const ports = [await findFreePort(), await findFreePort()]
  const shared = {
    ...{ DATABASE_URL: database.url, DATA_DIR: folder, SECRET: 'the secret of a chaos run', PUBLIC_URL: '' },
    ...{ ADMIN_PORT: '0', WORKER_ADMIN_PORT: '0', WEBHOOK_NETWORKS: '127.0.0.1' },
    NODE_COMPILE_CACHE: join(environment.folder, 'compile-cache'),
    ...provider.env,
  }
  const db = openDb(database.url, { name: 'chaos', size: 2, onError: () => undefined })
  startup.defer(() => db.end())
  await writeSettings(db, SETTINGS)
  const { accounts, keys } = await createAccounts(db, loadConfig(shared).secret, accountCount)
  const logPath = join(dataDir, 'chaos.log')
  await rm(logPath, { force: true })
  const output = openSync(logPath, 'a')
  startup.defer(() => closeSync(output))
  const start = (name: 'api' | 'worker', env: Record<string, string>) => startRole(name, { ...shared, ...env }, output)
  const apis = ports.map(port => start('api', { PORT: String(port) }))
  const workers = [start('worker', {}), start('worker', {})]
  startup.defer(async () => void (await Promise.all([...apis, ...workers].map(role => stopRole(role)))))
  const urls = ports.map(port => `http://127.0.0.1:${port}`)
  const isHealthy = async () => (await Promise.all(urls.map(isUp))).every(Boolean)
  await Promise.all([...apis, ...workers].map(role => role.ready))
  if (!(await pollUntil(async () => (await isHealthy()) || undefined, { withinMs: HEALTHY_WITHIN_MS })))
    throw new Error(`the service did not become healthy; its log is ${logPath}`)
  const owned = startup.move()
  return {
    ...{ urls, apis, workers, db, provider, receiver, disk, logPath, isHealthy },
    postgresPid: () => environment.postgresPid,
    accounts: accounts.map((id, index) => ({ id, key: keys[index]! })),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function startRole(name: 'api' | 'worker', env: Record<string, string>, output: number): SupervisedProcess {
  const script = fileURLToPath(new URL(name === 'api' ? 'api/main.ts' : 'workers/main.ts', ROOT))
  const log = { info() {}, warn() {} }
  return superviseProcess({ name, script, env: { ...buildCleanEnvironment(), ...env }, log, output, onStart() {} })
}

/** A stopped process does not hear that it has to end. */
function stopRole(role: SupervisedProcess): Promise<void> {
  try {
    process.kill(role.pid()!, 'SIGCONT')
  } catch {
    // It has ended.
  }
  return role.stop(STOP_TIMEOUT_MS)
}

async function isUp(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.status === 200
}

import { expect } from 'vitest'
import { freePorts } from '../../../ops/free-ports.ts'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount, creditAccount, readAccount } from '../../../sql/account.ts'
import { type DbPool, openDb } from '../../../sql/db.ts'
import { createKey } from '../../../sql/key.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { listWorkers } from '../../../sql/worker.ts'
import { findUndeclaredEvents } from '../database/declared-events.ts'
import { freshDatabase } from '../database/fresh.ts'
import { shareCompiledCode } from '../machine/compiled-code.ts'
import { eventually } from '../machine/eventually.ts'
import { freshFolder } from '../machine/folder.ts'
import { type Client, createClient } from './client.ts'
import { type Role, startRole } from './role.ts'

const SECRET = 'a secret of the tests alone'

interface StackOptions {
  /** With false, no worker runs until the test starts one. */
  worker?: boolean
  env?: Record<string, string>
  /** A database that the test provides; it is not removed at the end. */
  databaseUrl?: string
  dataDir?: string
}

export interface Customer extends Client {
  accountId: string
  key: string
  /** The balance of the account and the amount held for open jobs, in micros. */
  money(): Promise<{ balance: bigint; held: bigint }>
}

/** The whole service as real processes, with its own database and data folder. */
export interface Stack extends AsyncDisposable {
  url: string
  adminUrl: string
  workerAdminUrl: string
  databaseUrl: string
  secret: string
  dataDir: string
  db: DbPool
  api: Role
  /** A client without a key. */
  anonymous: Client
  customer(balanceMicros?: bigint): Promise<Customer>
  credit(accountId: string, amountMicros: bigint): Promise<unknown>
  /** Creates another key for an account. */
  addKey(accountId: string): Promise<string>
  startApi(env?: Record<string, string>): Promise<Role>
  /** Changes a setting; every process applies it a moment later. */
  writeSetting(name: string, value: unknown): Promise<void>
  /** Starts another worker and resolves when it has registered. */
  startWorker(env?: Record<string, string>): Promise<Role>
}

/** Starts an api and, by default, a worker. At the end, the ledger invariants must hold and every process is stopped. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  await using startup = new AsyncDisposableStack()
  let cleanUp = startup
  const databaseUrl = options.databaseUrl ?? cleanUp.use(await freshDatabase()).url
  const dataDir = options.dataDir ?? cleanUp.use(await freshFolder()).path
  shareCompiledCode(dataDir)
  const db = openDb(databaseUrl, { name: 'test', size: 6, onError: () => undefined })
  cleanUp.defer(() => db.end())
  cleanUp.defer(async () => expect(await findUndeclaredEvents(db)).toEqual([]))
  cleanUp.defer(async () => expect(await checkInvariants(db)).toEqual([]))
  // A busy machine may take longer than by default for a call whose result a test expects at once.
  if (options.databaseUrl === undefined) await writeSetting(db, 'api.wait_seconds', 60)
  const [port, adminPort, workerAdminPort] = (await freePorts(3)) as [number, number, number]
  const shared = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, SECRET, LOG_LEVEL: 'info', PUBLIC_URL: '' }
  const env = { ...shared, PORT: String(port), ADMIN_PORT: String(adminPort), ...options.env }
  const url = `http://127.0.0.1:${port}`
  const startApi: Stack['startApi'] = async overrides => cleanUp.use(await startRole('api', { ...env, ...overrides }))
  const startWorker: Stack['startWorker'] = async overrides => {
    const admin = { WORKER_ADMIN_PORT: overrides ? '0' : String(workerAdminPort) }
    const worker = cleanUp.use(await startRole('worker', { ...env, ...admin, ...overrides }))
    await eventually('the worker to register', async () =>
      (await listWorkers(db)).some(({ pid }) => pid === worker.pid),
    )
    return worker
  }
  const starting = options.worker === false ? undefined : startWorker()
  const [api] = await Promise.all([startApi(), starting])
  cleanUp = startup.move()
  return {
    url,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    workerAdminUrl: `http://127.0.0.1:${workerAdminPort}`,
    databaseUrl,
    secret: SECRET,
    dataDir,
    db,
    api,
    anonymous: createClient(url),
    customer: balance => openCustomer(db, url, balance),
    credit: (accountId, amountMicros) => creditAccount(db, { accountId, amountMicros }),
    addKey: accountId => createTestKey(db, accountId),
    startApi,
    startWorker,
    writeSetting: (name, value) => writeSetting(db, name, value),
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  }
}

async function openCustomer(db: DbPool, url: string, balanceMicros = 1_000_000n): Promise<Customer> {
  const { id: accountId } = await createAccount(db)
  if (balanceMicros > 0n) await creditAccount(db, { accountId, amountMicros: balanceMicros })
  const key = await createTestKey(db, accountId)
  const money = async () => {
    const account = await readAccount(db, accountId)
    return { balance: BigInt(account!.balanceMicros), held: BigInt(account!.heldMicros) }
  }
  return { ...createClient(url, key), accountId, key, money }
}

function createTestKey(db: DbPool, accountId: string): Promise<string> {
  return createKey(db, { accountId, mode: 'test', hash: apiKey => hashApiKey(SECRET, apiKey) })
}

import { expect } from 'vitest'
import { hashApiKey } from '../../ops/secrets.ts'
import { createAccount, creditAccount, readAccount } from '../../sql/account.ts'
import { type DbPool, openDb } from '../../sql/db.ts'
import { createKey } from '../../sql/key.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { writeSetting } from '../../sql/setting.ts'
import { listWorkers } from '../../sql/worker.ts'
import { type Client, clientOf } from './client.ts'
import { freshDatabase } from './database.ts'
import { freshFolder } from './folder.ts'
import { freePorts } from './free-ports.ts'
import { type Role, startRole } from './role.ts'
import { eventually } from './until.ts'

const SECRET = 'a secret of the tests alone'

export interface StackOptions {
  /** False leaves the queues unserved until a worker is started. */
  worker?: boolean
  env?: Record<string, string>
  /** A database of the test's own making; it is not removed at the end. */
  databaseUrl?: string
  dataDir?: string
}

export interface Customer extends Client {
  accountId: string
  key: string
  /** What the account has, and what of it is held for open jobs, in micros. */
  money(): Promise<{ balance: bigint; held: bigint }>
}

/** The whole service as real processes, with a database and a data folder of its own. */
export interface Stack extends AsyncDisposable {
  url: string
  adminUrl: string
  workerAdminUrl: string
  databaseUrl: string
  dataDir: string
  db: DbPool
  api: Role
  /** Nobody in particular: no key. */
  stranger: Client
  customer(balanceMicros?: bigint): Promise<Customer>
  credit(accountId: string, amountMicros: bigint): Promise<unknown>
  /** Another key of an account. */
  keyOf(accountId: string): Promise<string>
  startApi(env?: Record<string, string>): Promise<Role>
  /** Turns a tunable; everybody goes by it a moment later. */
  set(name: string, value: unknown): Promise<void>
  /** Another worker; resolves when the front door knows it. */
  startWorker(env?: Record<string, string>): Promise<Role>
}

/** Starts an api and, unless told otherwise, a worker. At its end the books must balance and nothing is left running. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  await using beginning = new AsyncDisposableStack()
  let cleanUp = beginning
  const databaseUrl = options.databaseUrl ?? cleanUp.use(await freshDatabase()).url
  const dataDir = options.dataDir ?? cleanUp.use(await freshFolder()).path
  const db = openDb(databaseUrl, { name: 'test', size: 6, onError: () => undefined })
  cleanUp.defer(() => db.end())
  cleanUp.defer(async () => expect(await checkInvariants(db)).toEqual([]))
  const [port, adminPort, workerAdminPort] = (await freePorts(3)) as [number, number, number]
  const shared = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, SECRET, LOG_LEVEL: 'info', PUBLIC_URL: '' }
  const env = { ...shared, PORT: String(port), ADMIN_PORT: String(adminPort), ...options.env }
  const url = `http://127.0.0.1:${port}`
  const startApi: Stack['startApi'] = async more => cleanUp.use(await startRole('api', { ...env, ...more }))
  const startWorker: Stack['startWorker'] = async more => {
    const admin = { WORKER_ADMIN_PORT: more ? '0' : String(workerAdminPort) }
    const worker = cleanUp.use(await startRole('worker', { ...env, ...admin, ...more }))
    await eventually('the worker to join', async () => (await listWorkers(db)).some(({ pid }) => pid === worker.pid))
    return worker
  }
  const starting = options.worker === false ? undefined : startWorker()
  const [api] = await Promise.all([startApi(), starting])
  cleanUp = beginning.move()
  return {
    url,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    workerAdminUrl: `http://127.0.0.1:${workerAdminPort}`,
    databaseUrl,
    dataDir,
    db,
    api,
    stranger: clientOf(url),
    customer: balance => openCustomer(db, url, balance),
    credit: (accountId, amountMicros) => creditAccount(db, { accountId, amountMicros }),
    keyOf: accountId => newKey(db, accountId),
    startApi,
    startWorker,
    set: (name, value) => writeSetting(db, name, value),
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  }
}

async function openCustomer(db: DbPool, url: string, balanceMicros = 1_000_000n): Promise<Customer> {
  const { id: accountId } = await createAccount(db)
  if (balanceMicros > 0n) await creditAccount(db, { accountId, amountMicros: balanceMicros })
  const key = await newKey(db, accountId)
  const money = async () => {
    const account = await readAccount(db, accountId)
    return { balance: BigInt(account!.balanceMicros), held: BigInt(account!.heldMicros) }
  }
  return { ...clientOf(url, key), accountId, key, money }
}

function newKey(db: DbPool, accountId: string): Promise<string> {
  return createKey(db, { accountId, mode: 'test', hash: word => hashApiKey(SECRET, word) })
}

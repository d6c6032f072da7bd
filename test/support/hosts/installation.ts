import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildChildEnvironment } from '../../../ops/config.ts'
import { type DbPool, openDb } from '../../../sql/db.ts'
import { ROOT } from '../house/files.ts'
import { eventually } from '../machine/eventually.ts'
import { freshFolder } from '../machine/folder.ts'
import { type HostProcess, startOn } from './host-process.ts'
import { type Host, type Network, openNetwork } from './network.ts'
import { answers, openPatroni, type PatroniCluster } from './patroni.ts'
import { API_PORT, startBalancer, startConnectionPool } from './proxies.ts'

export const SECRET = 'a secret of the tests alone'
const APIS = ['api-one', 'api-two', 'api-three', 'api-four'] as const
type ApiName = (typeof APIS)[number]
type WorkerName = 'worker-one' | 'worker-two' | 'worker-three' | 'worker-four' | 'worker-five'
type RoleName = ApiName | WorkerName

/** A program is on two hosts at least, as are the other lanes, so that one may go. */
const LANES: Record<WorkerName, string> = {
  'worker-one': 'thread,program',
  'worker-two': 'native,remote',
  'worker-three': 'thread,native,remote',
  'worker-four': 'program,remote',
  'worker-five': 'thread,native,program,remote',
}

/** A whole installation on hosts of its own. */
export interface Installation extends AsyncDisposable {
  /** The address of the load balancer. */
  url: string
  /** That of the Postgres which is the standby in the beginning. */
  standbyUrl: string
  db: DbPool
  network: Network
  patroni: PatroniCluster
  folder: string
  host(name: RoleName | 'balancer' | 'store' | 'models' | 'pool'): Host
  /** Starts a role and resolves when it is ready, and behind the load balancer. */
  start(name: RoleName, options?: RoleOptions): Promise<HostProcess>
  role(name: RoleName): HostProcess
  /** Brings the database up to the version in a folder. */
  migrate(version: string): void
}

interface RoleOptions {
  /** The folder of another version. */
  version?: string
  env?: Record<string, string>
}

/** All but the roles. */
export async function openInstallation(version: string): Promise<Installation> {
  await using startup = new AsyncDisposableStack()
  const folder = startup.use(await freshFolder()).path
  const network = startup.use(openNetwork())
  const patroni = startup.use(await openPatroni(network, folder))
  const primary = await patroni.primary()
  const [balancer, pool] = [network.host('balancer'), network.host('pool')]
  const outside = ['store', 'models'].map(name => startup.use(startOutside(network.host(name), folder)))
  const apis = APIS.map(name => network.host(name))
  startup.use(startBalancer(balancer, apis, folder))
  const standby = patroni.members.find(member => member !== primary)!
  const readPool = startConnectionPool(pool, standby.host, folder)
  startup.use(readPool.process)
  const url = `http://${balancer.address}:${API_PORT}`
  const shared = {
    ...{ SECRET, DATABASE_URL: patroni.url, DATABASE_READ_URL: readPool.url, PUBLIC_URL: url },
    ...{ HOST: '0.0.0.0', PORT: String(API_PORT), TRUST_PROXY: balancer.address, PROBE_URL: 'off' },
    ...{ LOG_LEVEL: 'info', NODE_COMPILE_CACHE: join(tmpdir(), 'coinop-test-compile-cache') },
    ...Object.assign({}, ...(await Promise.all(outside.map(({ ready }) => ready)))),
  }
  const migrate = (root: string) => {
    const env = buildChildEnvironment({ ...shared, DATA_DIR: join(folder, 'migrate') })
    execFileSync(process.execPath, ['ops/cli.ts', 'migrate'], {
      cwd: root,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
  migrate(version)
  const db = openDb(patroni.url, { name: 'test', size: 4, onError: () => undefined })
  startup.defer(() => db.end())
  const roles = new Map<RoleName, HostProcess>()
  startup.defer(async () => void (await Promise.all([...roles.values()].map(role => role.kill()))))
  const host = (name: string) => network.host(name)
  const start = async (name: RoleName, options: RoleOptions = {}) => {
    const role = startRole(host(name), shared, { folder, ...options })
    roles.set(name, role)
    await role.ready
    if (isApi(name)) await eventually(`${name} to accept work`, () => answers(addressOf(host(name))))
    return role
  }
  const clean = startup.move()
  return {
    ...{ url, standbyUrl: patroni.urlOf(standby), db, network, patroni, folder, host, start, migrate },
    role: name => roles.get(name)!,
    [Symbol.asyncDispose]: () => clean.disposeAsync(),
  }
}

function startOutside(host: Host, folder: string): HostProcess {
  const script = join(ROOT, 'test/support/hosts/outside-servers.ts')
  const env = buildChildEnvironment({})
  return startOn(host, {
    file: process.execPath,
    args: [script, host.name, host.address],
    env,
    logPath: join(folder, `${host.name}.log`),
  })
}

function startRole(
  host: Host,
  shared: Record<string, string>,
  { folder, version = ROOT, env }: RoleOptions & { folder: string },
): HostProcess {
  const { name } = host
  const dataDir = join(folder, name)
  mkdirSync(dataDir, { recursive: true })
  const lanes = isApi(name) ? {} : { LANES: LANES[name as WorkerName] }
  const script = isApi(name) ? 'api/main.ts' : 'workers/main.ts'
  return startOn(host, {
    ...{ file: process.execPath, args: [script], cwd: version, logPath: join(folder, `${name}.log`) },
    env: buildChildEnvironment({ ...shared, ...lanes, DATA_DIR: dataDir, ...env }),
  })
}

function isApi(name: string): name is ApiName {
  return (APIS as readonly string[]).includes(name)
}

function addressOf({ address }: Host): string {
  return `http://${address}:${API_PORT}/health`
}

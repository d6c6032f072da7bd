import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { ensureCluster, SUPERUSER } from '../../../ops/embedded/cluster.ts'
import { buildCommand, findInstallation, type Installation } from '../../../ops/embedded/installation.ts'
import { freePorts } from '../../../ops/free-ports.ts'
import { eventually } from '../machine/eventually.ts'
import { signalTree } from '../machine/processes.ts'

const PASSWORD = 'a password of the tests alone'

interface Server {
  port: number
  /** An address of this host alone. */
  url: string
  child: ChildProcess
}

/** A Postgres and its standby, which has each change before it is acknowledged. Both listen on ports. */
export interface PostgresPair extends AsyncDisposable {
  /** Names both hosts. */
  url: string
  primary: Server
  standby: Server
  /** Sends all processes of the primary a signal, and makes a primary of the standby. */
  failOver(signal: 'SIGKILL' | 'SIGSTOP'): Promise<void>
}

export async function openPostgresPair(folder: string): Promise<PostgresPair> {
  await using startup = new AsyncDisposableStack()
  const [one, other] = (await freePorts(2)) as [number, number]
  const first = findInstallation(join(folder, 'one'))
  const second = findInstallation(join(folder, 'other'))
  await ensureCluster(first, { password: PASSWORD, isDurable: false })
  const stopped = await start(first, one)
  await run(urlOf(one, 'postgres'), 'create database coinop')
  stopped.child.kill('SIGINT')
  await once(stopped.child, 'exit')
  execFileSync('cp', ['-a', first.clusterDir, second.clusterDir])
  writeFileSync(join(second.clusterDir, 'standby.signal'), '')
  const source = `host=127.0.0.1 port=${one} user=${SUPERUSER} password='${PASSWORD}'`
  appendFileSync(
    join(second.clusterDir, 'postgresql.auto.conf'),
    `primary_conninfo = '${source.replaceAll("'", "''")}'\n`,
  )
  const primary = startup.adopt(await start(first, one, ['-c', 'synchronous_standby_names=*']), stop)
  const standby = startup.adopt(await start(second, other), stop)
  const clean = startup.move()
  return {
    url: `postgres://${SUPERUSER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${one},127.0.0.1:${other}/coinop`,
    primary,
    standby,
    async failOver(signal) {
      signalTree(primary.child.pid!, signal)
      await run(urlOf(other, 'coinop'), 'select pg_promote()')
    },
    [Symbol.asyncDispose]: () => clean.disposeAsync(),
  }
}

/** The settings are those of a test: what they write may be lost in a power cut. */
async function start(installation: Installation, port: number, more: readonly string[] = []): Promise<Server> {
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'fsync=off']
  settings.push('wal_level=replica', 'max_connections=200', 'shared_buffers=64MB', 'jit=off', 'timezone=UTC')
  const args = ['-D', installation.clusterDir, ...settings.flatMap(setting => ['-c', setting]), ...more]
  const command = buildCommand(installation, 'postgres', args)
  const child = spawn(command.file, command.args, { ...command.identity, stdio: 'ignore' })
  const url = urlOf(port, 'coinop')
  await eventually('Postgres to answer', () => run(urlOf(port, 'postgres'), 'select 1').catch(() => undefined))
  return { port, url, child }
}

async function stop(server: Server): Promise<void> {
  const { child } = server
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  signalTree(child.pid!, 'SIGKILL')
  await ended
}

function urlOf(port: number, database: string): string {
  return `postgres://${SUPERUSER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`
}

async function run(url: string, statement: string): Promise<true> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(statement)
    return true
  } finally {
    await client.end()
  }
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { eventually } from '../machine/eventually.ts'
import { type HostProcess, startOn } from './host-process.ts'
import type { Host, Network } from './network.ts'

export const USER = 'coinop'
export const PASSWORD = 'a-password-of-the-tests'
const PORT = 5432

interface Member {
  host: Host
  process: HostProcess
}

/** A Postgres with a synchronous standby under Patroni, which keeps who is the primary in etcd on three hosts. */
export interface PatroniCluster extends AsyncDisposable {
  /** Names both hosts. */
  url: string
  urlOf(member: Member): string
  members: readonly Member[]
  /** The host that takes changes, as Patroni says it. */
  primary(): Promise<Member>
  /** Resolves when each change is on both hosts before it is acknowledged. */
  waitUntilSynchronous(): Promise<void>
  /** Starts Patroni again on a host where it was killed; it brings Postgres back as a standby. */
  restart(member: Member): void
}

export async function openPatroni(network: Network, folder: string): Promise<PatroniCluster> {
  await using startup = new AsyncDisposableStack()
  const hosts = ['db-one', 'db-two', 'db-three'].map(name => network.host(name))
  for (const host of hosts) startup.use(startEtcd(host, hosts, folder))
  const pair = hosts.slice(0, 2)
  const members = pair.map(host => ({ host, process: startPatroni(host, hosts, folder) }))
  startup.defer(async () => void (await Promise.all(members.map(({ process }) => process.kill()))))
  const isPrimary = ({ host }: Member) => answers(`http://${host.address}:8008/primary`)
  const primary = () =>
    eventually('Patroni to have a primary', async () => {
      const found = await Promise.all(members.map(isPrimary))
      return members[found.indexOf(true)]
    })
  const waitUntilSynchronous = async () => {
    const isStandby = ({ host }: Member) => answers(`http://${host.address}:8008/synchronous`)
    await eventually('Patroni to have a synchronous standby', async () =>
      (await Promise.all(members.map(isStandby))).includes(true),
    )
  }
  const { host } = await primary()
  await createDatabase(host)
  await waitUntilSynchronous()
  const clean = startup.move()
  return {
    url: urlOf(pair),
    urlOf: member => urlOf([member.host]),
    members,
    primary,
    waitUntilSynchronous,
    restart: member => {
      member.process = startPatroni(member.host, hosts, folder)
    },
    [Symbol.asyncDispose]: () => clean.disposeAsync(),
  }
}

function urlOf(hosts: readonly Host[], database = 'coinop'): string {
  return `postgres://${USER}:${PASSWORD}@${hosts.map(({ address }) => `${address}:${PORT}`).join(',')}/${database}`
}

function startEtcd(host: Host, hosts: readonly Host[], folder: string): HostProcess {
  const { name, address } = host
  const [client, peer] = [`http://${address}:2379`, `http://${address}:2380`]
  const cluster = hosts.map(each => `${each.name}=http://${each.address}:2380`).join(',')
  const options = {
    ...{ name, 'data-dir': join(folder, `etcd-${name}`), 'initial-cluster': cluster },
    ...{ 'listen-peer-urls': peer, 'initial-advertise-peer-urls': peer },
    ...{ 'listen-client-urls': client, 'advertise-client-urls': client },
  }
  const args = Object.entries(options).flatMap(([option, text]) => [`--${option}`, text])
  return startOn(host, {
    file: 'etcd',
    args: [...args, '--unsafe-no-fsync'],
    logPath: join(folder, `${name}-etcd.log`),
  })
}

function startPatroni(host: Host, hosts: readonly Host[], folder: string): HostProcess {
  const path = join(folder, `${host.name}.json`)
  mkdirSync(join(folder, host.name), { recursive: true, mode: 0o700 })
  writeFileSync(path, JSON.stringify(configure(host, hosts, join(folder, host.name))))
  const logPath = join(folder, `${host.name}.log`)
  return startOn(host, { file: 'patroni', args: [path], logPath, isUnprivileged: true })
}

/** JSON is YAML too. */
function configure({ name, address }: Host, hosts: readonly Host[], folder: string): object {
  const account = (username: string) => ({ username, password: PASSWORD })
  const parameters = { max_connections: 400, fsync: 'off', jit: 'off', timezone: 'UTC', shared_buffers: '64MB' }
  return {
    ...{ scope: 'coinop', name },
    restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
    etcd3: { hosts: hosts.map(each => `${each.address}:2379`).join(',') },
    bootstrap: {
      dcs: {
        // Of a busy machine, and yet far below the defaults of 30 and 10 seconds.
        ...{ ttl: 10, loop_wait: 1, retry_timeout: 4, synchronous_mode: true },
        postgresql: { use_pg_rewind: true, parameters },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums', 'no-sync'],
      pg_hba: ['host all all all scram-sha-256', 'host replication all all scram-sha-256'],
    },
    postgresql: {
      ...{ listen: `${address}:${PORT}`, connect_address: `${address}:${PORT}` },
      ...{ bin_dir: '/usr/lib/postgresql/15/bin', data_dir: join(folder, 'data'), pgpass: join(folder, 'pgpass') },
      ...{ parameters: { unix_socket_directories: '' }, basebackup: [{ checkpoint: 'fast' }, 'no-sync'] },
      authentication: { superuser: account(USER), replication: account('replicator'), rewind: account('rewinder') },
    },
    watchdog: { mode: 'off' },
  }
}

async function createDatabase(host: Host): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf([host], 'postgres') })
  await client.connect()
  try {
    await client.query('create database coinop')
  } finally {
    await client.end()
  }
}

/** Whether an address answers with 200, as health checks do. */
export async function answers(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.status === 200
}

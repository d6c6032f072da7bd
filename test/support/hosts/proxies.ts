import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../house/files.ts'
import { type HostProcess, startOn } from './host-process.ts'
import type { Host } from './network.ts'
import { PASSWORD, USER } from './patroni.ts'

export const API_PORT = 8080
const POOL_PORT = 6432

/** HAProxy by the file that operators get, without TLS. */
export function startBalancer(host: Host, apis: readonly Host[], folder: string): HostProcess {
  const given = readFileSync(join(ROOT, 'ops/deploy/proxy/haproxy.cfg'), 'utf8').split('\n')
  const kept = given.filter(line => !/^ {2}(bind :443|http-request redirect|server )/.test(line))
  const servers = apis.map(({ name, address }) => `  server ${name} ${address}:${API_PORT}`)
  const text = [...kept, ...servers, ''].join('\n')
  const path = join(folder, 'haproxy.cfg')
  // It takes two files for each connection, and refuses more than this process may open.
  writeFileSync(path, text.replace('bind :80', `bind :${API_PORT}`).replace(/maxconn \d+/, 'maxconn 2000'))
  return startOn(host, { file: 'haproxy', args: ['-db', '-f', path], logPath: join(folder, 'haproxy.log') })
}

/** PgBouncer before one Postgres, pooling by transaction. */
export function startConnectionPool(host: Host, database: Host, folder: string): { url: string; process: HostProcess } {
  const path = join(folder, 'pgbouncer.ini')
  const target = `host=${database.address} port=5432 dbname=coinop user=${USER} password=${PASSWORD}`
  const settings = {
    ...{ listen_addr: host.address, listen_port: POOL_PORT, unix_socket_dir: '', auth_type: 'any' },
    ...{ pool_mode: 'transaction', ignore_startup_parameters: IGNORED },
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(path, ['[databases]', `coinop = ${target}`, '[pgbouncer]', ...lines, ''].join('\n'))
  const command = { file: 'pgbouncer', args: [path], logPath: join(folder, 'pgbouncer.log'), isUnprivileged: true }
  const url = `postgres://${USER}@${host.address}:${POOL_PORT}/coinop`
  return { url, process: startOn(host, command) }
}

/** Without this PgBouncer refuses the connections of coinop. */
const IGNORED = 'statement_timeout,idle_in_transaction_session_timeout'

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { until } from '../back-off.ts'
import { SetUpError } from '../set-up-error.ts'
import { commandOf, type Installation, NOBODY } from './installation.ts'

/** The release whose data folder these binaries read. */
const MAJOR = '18'
export const SUPERUSER = 'coinop'

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '128MB',
  synchronous_commit: 'on',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  jit: 'off',
  autovacuum_naptime: '15s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  /** Statements may carry what belongs to a customer. */
  log_min_error_statement: 'panic',
}

/** For tests alone: what is lost with the machine is made anew. */
const FORGETFUL = { fsync: 'off', full_page_writes: 'off' }

export interface Postmaster {
  pid: number
  exited: Promise<void>
}

/** Makes the cluster where there is none, aside and then in one step, so that half a cluster is never taken for one. */
export function ensureCluster(place: Installation, options: { password: string; durable: boolean }): void {
  const { clusterDir, guise } = place
  if (existsSync(clusterDir)) {
    refuseOtherMajor(clusterDir)
    return
  }
  const draft = `${clusterDir}.new`
  const passwordFile = `${clusterDir}.password`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(dirname(clusterDir), { recursive: true })
  mkdirSync(draft, { mode: 0o700 })
  writeFileSync(passwordFile, options.password, { mode: 0o600 })
  if (guise === 'nobody') for (const path of [dirname(draft), draft, passwordFile]) chownSync(path, NOBODY, NOBODY)
  try {
    initialise(place, draft, passwordFile, options.durable)
    renameSync(draft, clusterDir)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** The built-in C.UTF-8 exists on every system and sorts alike on all of them. */
function initialise(place: Installation, draft: string, passwordFile: string, durable: boolean): void {
  const args = ['-D', draft, '-U', SUPERUSER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--data-checksums']
  args.push(
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  )
  if (!durable) args.push('--no-sync')
  const command = commandOf(place, 'initdb', args)
  const made = spawnSync(command.file, command.args, {
    ...command.identity,
    cwd: dirname(draft),
    encoding: 'utf8',
    env: EMPTY_ENVIRONMENT,
  })
  if (made.status === 0) return
  const reason = made.error?.message ?? made.stderr.trim().split('\n').at(-1) ?? `exit ${made.status}`
  throw new SetUpError(`Postgres could not set up its data folder: ${reason}`)
}

function refuseOtherMajor(clusterDir: string): void {
  const found = readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim()
  if (found === MAJOR) return
  throw new SetUpError(
    `${clusterDir} was written by Postgres ${found} and this release brings ${MAJOR}; dump and restore it.`,
  )
}

/** Variables such as PGPORT or LC_ALL of whoever starts it must not change what is started. */
const EMPTY_ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** The postmaster that lives, whether its starter still does or not. */
export function livingPostmaster({
  clusterDir,
}: Installation): { pid: number; isReady: boolean; socketDir: string } | undefined {
  const lines = readLines(join(clusterDir, 'postmaster.pid'))
  const pid = Number(lines[0])
  if (!(pid > 0) || !isPostmaster(pid, clusterDir)) return undefined
  return { pid, isReady: lines[7]?.trim() === 'ready', socketDir: lines[4] ?? '' }
}

function isPostmaster(pid: number, clusterDir: string): boolean {
  return isPostgres(pid) && readLines(`/proc/${pid}/cmdline`, '\0').includes(clusterDir)
}

/** One that has ended, but that nobody has waited for, still has its name and its number. */
function isPostgres(pid: number): boolean {
  return readLines(`/proc/${pid}/comm`)[0] === 'postgres' && isAlive(pid)
}

function readLines(path: string, separator = '\n'): string[] {
  try {
    return readFileSync(path, 'utf8').split(separator)
  } catch {
    return []
  }
}

export function watchPostmaster(place: Installation, pid: number): Postmaster {
  const gone = until(() => !isPostmaster(pid, place.clusterDir) || undefined, {
    withinMs: Number.POSITIVE_INFINITY,
    everyMs: 200,
  })
  return { pid, exited: gone.then(() => undefined) }
}

/** Starts the server in a session of its own, so that Ctrl-C reaches it only through its supervisor. */
export async function launchPostmaster(place: Installation, durable: boolean): Promise<Postmaster> {
  forgetReusedPid(place)
  const settings = { ...SETTINGS, ...(durable ? {} : FORGETFUL), unix_socket_directories: place.socketDir }
  const args = [
    '-D',
    place.clusterDir,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const command = commandOf(place, 'postgres', args)
  const logPath = `${place.clusterDir}.log`
  const log = openSync(logPath, 'a', 0o600)
  const logStart = statSync(logPath).size
  const child = spawn(command.file, command.args, {
    ...command.identity,
    cwd: '/',
    env: EMPTY_ENVIRONMENT,
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  let failure: string | undefined
  const exited = once(child, 'exit').then(
    () => {
      failure = lastLine(logPath, logStart)
    },
    (error: Error) => {
      failure = error.message
    },
  )
  const outcome = await until(() => failure ?? (livingPostmaster(place)?.isReady || undefined), {
    withinMs: 60_000,
    everyMs: 10,
  })
  if (outcome === true) return { pid: child.pid!, exited }
  child.kill('SIGQUIT')
  throw new Error(`Postgres did not start: ${failure ?? 'it was not ready within a minute'}`)
}

/** Without this, Postgres would take any process that now has the old number for itself, and refuse to start. */
function forgetReusedPid(place: Installation): void {
  const pidFile = join(place.clusterDir, 'postmaster.pid')
  const pid = Number(readLines(pidFile)[0])
  if (!(pid > 0) || !existsSync(`/proc/${pid}`) || isPostgres(pid)) return
  rmSync(pidFile, { force: true })
  rmSync(join(place.socketDir, '.s.PGSQL.5432.lock'), { force: true })
}

function lastLine(logPath: string, start: number): string {
  const text = readFileSync(logPath).subarray(start).toString().trim()
  const lines = text.split('\n')
  return lines.findLast(line => line.includes('FATAL')) ?? lines.at(-1) ?? 'it said nothing'
}

/** Fast, then immediate, then by force. */
export async function stopPostmaster(postmaster: Postmaster, withinMs: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!send(postmaster.pid, signal)) return
    const isGone = await until(() => !isAlive(postmaster.pid) || undefined, {
      withinMs: signal === 'SIGINT' ? withinMs : 1_000,
    })
    if (isGone) return
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** A child that has ended and was not yet waited for is not alive. */
function isAlive(pid: number): boolean {
  const status = readLines(`/proc/${pid}/stat`)[0]
  return status !== undefined && !/\) [ZX] /.test(status)
}

import { spawn } from 'node:child_process'
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
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pollUntil } from '../back-off.ts'
import { SetUpError } from '../set-up-error.ts'
import { buildCommand, type Installation, NOBODY_ID } from './installation.ts'

/** The release whose data folder these binaries read. */
const MAJOR_VERSION = '18'
/** After a crash, Postgres first repeats what its log has since the last checkpoint. */
const READY_TIMEOUT_MS = 600_000
export const SUPERUSER = 'coinop'

const MIN_BUFFERS_MB = 128
const MAX_BUFFERS_MB = 512

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: `${chooseBuffersMb()}MB`,
  synchronous_commit: 'on',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  jit: 'off',
  autovacuum_naptime: '15s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  /** Statements may contain data of customers. */
  log_min_error_statement: 'panic',
}

/**
 * A sixteenth of the memory. A search of public lists reads indexes of some 300 MB, and a page that is not among the buffers
 * is a call of the system and a checksum: finding the words of a search took 5 ms with 128 MB and 2 ms with 512 MB.
 */
function chooseBuffersMb(): number {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY
  const share = Math.min(totalmem(), limit) / 16 / 2 ** 20
  return Math.round(Math.min(MAX_BUFFERS_MB, Math.max(MIN_BUFFERS_MB, share)))
}

/** For tests only: their data may be lost in a power cut. */
const NON_DURABLE_SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  // Each round starts a process for each database, of which tests have many.
  autovacuum_naptime: '2min',
  shared_buffers: '128MB',
  // The services of many tests share one.
  max_connections: '600',
  max_wal_senders: '0',
  max_wal_size: '256MB',
}

export interface Postmaster {
  pid: number
  exited: Promise<void>
}

/** Creates the cluster if there is none: in a draft folder that is then renamed, so a partial cluster is never used. */
export async function ensureCluster(
  installation: Installation,
  options: { password: string; isDurable: boolean; signal?: AbortSignal },
): Promise<void> {
  const { clusterDir, runAs } = installation
  if (existsSync(clusterDir)) {
    rejectOtherMajorVersion(clusterDir)
    return
  }
  const draft = `${clusterDir}.new`
  const passwordFile = `${clusterDir}.password`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(dirname(clusterDir), { recursive: true })
  mkdirSync(draft, { mode: 0o700 })
  writeFileSync(passwordFile, options.password, { mode: 0o600 })
  if (runAs === 'nobody')
    for (const path of [dirname(draft), draft, passwordFile]) chownSync(path, NOBODY_ID, NOBODY_ID)
  try {
    await initCluster(installation, draft, passwordFile, options)
    renameSync(draft, clusterDir)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** The built-in locale C.UTF-8 exists on every system and sorts the same everywhere. */
async function initCluster(
  installation: Installation,
  draft: string,
  passwordFile: string,
  { isDurable, signal }: { isDurable: boolean; signal?: AbortSignal },
): Promise<void> {
  const args = ['-D', draft, '-U', SUPERUSER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--data-checksums']
  args.push(
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  )
  if (!isDurable) args.push('--no-sync')
  const command = buildCommand(installation, 'initdb', args)
  const child = spawn(command.file, command.args, {
    ...command.identity,
    cwd: dirname(draft),
    env: CLEAN_ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  })
  const ended = once(child, 'close').catch((error: Error) => [error.message])
  const messages = (await text(child.stderr)).trim()
  const [status] = await ended
  if (status === 0) return
  const reason = messages.split('\n').at(-1) || (typeof status === 'string' ? status : `exit ${status}`)
  throw new SetUpError(`Postgres could not set up its data folder: ${reason}`)
}

function rejectOtherMajorVersion(clusterDir: string): void {
  const found = readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim()
  if (found === MAJOR_VERSION) return
  throw new SetUpError(
    `${clusterDir} was written by Postgres ${found} and this release comes with ${MAJOR_VERSION}; dump and restore it.`,
  )
}

/** Variables such as PGPORT or LC_ALL in the operator's shell must not change the server. */
const CLEAN_ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** The running postmaster, even if the process that started it is gone. */
export function findPostmaster({
  clusterDir,
}: Installation): { pid: number; isReady: boolean; socketDir: string } | undefined {
  const lines = readLines(join(clusterDir, 'postmaster.pid'))
  const pid = Number(lines[0])
  if (!(pid > 0) || !isPostmaster(pid, clusterDir)) return undefined
  return { pid, isReady: lines[7]?.trim() === 'ready', socketDir: lines[4] ?? '' }
}

function isPostmaster(pid: number, clusterDir: string): boolean {
  return isPostgresProcess(pid) && readLines(`/proc/${pid}/cmdline`, '\0').includes(clusterDir)
}

/** A zombie still has its name and pid, so it is checked to be alive. */
function isPostgresProcess(pid: number): boolean {
  return readLines(`/proc/${pid}/comm`)[0] === 'postgres' && isAlive(pid)
}

function readLines(path: string, separator = '\n'): string[] {
  try {
    return readFileSync(path, 'utf8').split(separator)
  } catch {
    return []
  }
}

export function watchPostmaster(installation: Installation, pid: number): Postmaster {
  const waitUntilGone = pollUntil(() => !isPostmaster(pid, installation.clusterDir) || undefined, {
    withinMs: Number.POSITIVE_INFINITY,
    everyMs: 200,
  })
  return { pid, exited: waitUntilGone.then(() => undefined) }
}

/** Starts the server in its own session, so that Ctrl-C reaches it only through its supervisor. */
export async function launchPostmaster(installation: Installation, isDurable: boolean): Promise<Postmaster> {
  removeStalePidFile(installation)
  const settings = {
    ...SETTINGS,
    ...(isDurable ? {} : NON_DURABLE_SETTINGS),
    unix_socket_directories: installation.socketDir,
  }
  const args = [
    '-D',
    installation.clusterDir,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const command = buildCommand(installation, 'postgres', args)
  const logPath = `${installation.clusterDir}.log`
  const log = openSync(logPath, 'a', 0o600)
  const logStart = statSync(logPath).size
  const child = spawn(command.file, command.args, {
    ...command.identity,
    cwd: '/',
    env: CLEAN_ENVIRONMENT,
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  let failure: string | undefined
  const exited = once(child, 'exit').then(
    () => {
      failure = readLastLogLine(logPath, logStart)
    },
    (error: Error) => {
      failure = error.message
    },
  )
  const outcome = await pollUntil(() => failure ?? (findPostmaster(installation)?.isReady || undefined), {
    withinMs: READY_TIMEOUT_MS,
    everyMs: 10,
  })
  if (outcome === true) return { pid: child.pid!, exited }
  child.kill('SIGQUIT')
  throw new Error(`Postgres did not start: ${failure ?? 'it was not ready within ten minutes'}`)
}

/** Postgres refuses to start if any process has the pid in its pid file, so the file of a dead server is removed. */
function removeStalePidFile(installation: Installation): void {
  const pidFile = join(installation.clusterDir, 'postmaster.pid')
  const pid = Number(readLines(pidFile)[0])
  if (!(pid > 0) || !existsSync(`/proc/${pid}`) || isPostgresProcess(pid)) return
  rmSync(pidFile, { force: true })
  rmSync(join(installation.socketDir, '.s.PGSQL.5432.lock'), { force: true })
}

function readLastLogLine(logPath: string, start: number): string {
  const lines = readFileSync(logPath).subarray(start).toString().trim().split('\n')
  return lines.findLast(line => line.includes('FATAL')) ?? lines.at(-1) ?? 'no log output'
}

/** Tries a fast shutdown, then an immediate one, then SIGKILL. */
export async function stopPostmaster(postmaster: Postmaster, timeoutMs: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!sendSignal(postmaster.pid, signal)) return
    const isGone = await pollUntil(() => !isAlive(postmaster.pid) || undefined, {
      withinMs: signal === 'SIGINT' ? timeoutMs : 1_000,
    })
    if (isGone) return
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** A zombie does not count as alive. */
function isAlive(pid: number): boolean {
  const status = readLines(`/proc/${pid}/stat`)[0]
  return status !== undefined && !/\) [ZX] /.test(status)
}

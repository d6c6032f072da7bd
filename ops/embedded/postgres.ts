import { existsSync, realpathSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { BackOff } from '../back-off.ts'
import { createFolder } from '../data-folder.ts'
import type { Logger } from '../log.ts'
import { readOrCreateSecretFile } from '../secrets.ts'
import { SetUpError } from '../set-up-error.ts'
import {
  ensureCluster,
  findPostmaster,
  launchPostmaster,
  type Postmaster,
  SUPERUSER,
  stopPostmaster,
  watchPostmaster,
} from './cluster.ts'
import { lockDataDir } from './data-dir-lock.ts'
import { findInstallation, type Installation, type RunAs } from './installation.ts'

const DATABASE = 'coinop'
const PASSWORD_FILE = 'postgres-password'
const MAX_LAUNCHES = 6
const STOP_TIMEOUT_MS = 5_000

export interface EmbeddedPostgres {
  url: string
  /** It was already running, left behind by a supervisor that was killed. */
  isAdopted: boolean
  pid(): number
  stop(): Promise<void>
  /** Stops without a checkpoint; the next start recovers. */
  kill(): Promise<void>
}

interface EmbeddedOptions {
  dataDir: string
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** False for tests: faster, but data is lost in a power cut. */
  isDurable?: boolean
  runAs?: RunAs
  /** How long to wait for another process to release the data folder. */
  lockTimeoutMs?: number
  /** Ends the creation of a new cluster. A server that is starting is stopped through the result. */
  signal?: AbortSignal
}

/** Starts or adopts the Postgres of a data folder and restarts it until it is stopped. */
export async function startPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log, isDurable = true } = options
  createFolder(options.dataDir)
  const dataDir = realpathSync(options.dataDir)
  const lock = await lockDataDir(dataDir, { timeoutMs: options.lockTimeoutMs ?? 2_000 })
  try {
    const password = readOrCreateSecretFile(dataDir, PASSWORD_FILE)
    const installation = findInstallation(dataDir, options.runAs)
    await ensureCluster(installation, { password, isDurable, signal: options.signal })
    options.signal?.throwIfAborted()
    const found = findPostmaster(installation)
    const postmaster = found
      ? watchPostmaster(installation, found.pid)
      : await launchWithRetries(installation, isDurable)
    await ensureDatabase(installation, password)
    const supervisor = supervisePostmaster(installation, postmaster, { log, isDurable })
    const end = (withinMs: number) => supervisor.stop(withinMs).finally(lock.release)
    return {
      url: buildUrl(installation, password),
      isAdopted: found !== undefined,
      pid: supervisor.pid,
      stop: () => end(STOP_TIMEOUT_MS),
      kill: () => end(0),
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The URL of the Postgres of a data folder, if it is running. */
export function findPostgres(folder: string): { url: string } | undefined {
  if (!existsSync(folder)) return undefined
  const dataDir = realpathSync(folder)
  const installation = findInstallation(dataDir)
  if (!findPostmaster(installation)?.isReady) return undefined
  return { url: buildUrl(installation, readOrCreateSecretFile(dataDir, PASSWORD_FILE)) }
}

/** Stops the Postgres of a data folder that has no supervisor any more. */
export async function endPostgres(folder: string): Promise<void> {
  const installation = findInstallation(realpathSync(folder))
  const found = findPostmaster(installation)
  if (found) await stopPostmaster(watchPostmaster(installation, found.pid), STOP_TIMEOUT_MS)
}

/** After a kill, the old server's backends hold its shared memory for a moment; until then a new server refuses to start. */
async function launchWithRetries(installation: Installation, isDurable: boolean): Promise<Postmaster> {
  const backOff = new BackOff()
  for (let tries = 1; ; tries += 1) {
    try {
      return await launchPostmaster(installation, isDurable)
    } catch (error) {
      if (tries === MAX_LAUNCHES) throw new SetUpError((error as Error).message)
      await sleep(backOff.nextDelayMs())
    }
  }
}

function supervisePostmaster(
  installation: Installation,
  first: Postmaster,
  options: { log: EmbeddedOptions['log']; isDurable: boolean },
) {
  let current = first
  let isStopping = false
  const backOff = new BackOff()
  const done = new AbortController()

  async function restartOnExit(): Promise<void> {
    backOff.markStarted()
    while (!isStopping) {
      await current.exited
      while (!isStopping && !(await relaunch())) {}
    }
  }

  async function relaunch(): Promise<boolean> {
    const waitMs = backOff.nextDelayMs()
    options.log.warn({ waitMs }, 'Postgres exited unexpectedly and is restarted')
    await sleep(waitMs, undefined, { signal: done.signal }).catch(() => undefined)
    if (isStopping) return false
    try {
      current = await launchPostmaster(installation, options.isDurable)
      backOff.markStarted()
      options.log.info({ pid: current.pid }, 'Postgres is running again')
      return true
    } catch (error) {
      options.log.error({ err: error }, 'Postgres could not be restarted')
      return false
    }
  }

  const supervising = restartOnExit()
  return {
    pid: () => current.pid,
    async stop(withinMs: number) {
      isStopping = true
      done.abort()
      await stopPostmaster(current, withinMs)
      await supervising
      await stopPostmaster(current, withinMs)
    },
  }
}

async function ensureDatabase(installation: Installation, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: buildUrl(installation, password, 'postgres') })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}

function buildUrl(installation: Installation, password: string, database = DATABASE): string {
  const socketDir = findPostmaster(installation)?.socketDir || installation.socketDir
  const query = new URLSearchParams({ host: socketDir, port: '5432', user: SUPERUSER, password })
  return `postgresql:///${database}?${query}`
}

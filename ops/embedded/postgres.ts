import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { BackOff } from '../back-off.ts'
import type { Logger } from '../log.ts'
import { mintedWord } from '../secrets.ts'
import { SetUpError } from '../set-up-error.ts'
import {
  ensureCluster,
  launchPostmaster,
  livingPostmaster,
  type Postmaster,
  SUPERUSER,
  stopPostmaster,
  watchPostmaster,
} from './cluster.ts'
import { findInstallation, type Guise, type Installation } from './installation.ts'
import { becomeSoleOwner } from './sole-owner.ts'

const DATABASE = 'coinop'
const PASSWORD_FILE = 'postgres-password'
const LAUNCH_TRIES = 6
const STOP_WITHIN_MS = 5_000

export interface EmbeddedPostgres {
  url: string
  /** It was running already, left by a supervisor that was killed. */
  adopted: boolean
  pid(): number
  stop(): Promise<void>
  /** Stops without a checkpoint; the next start recovers. */
  kill(): Promise<void>
}

export interface EmbeddedOptions {
  dataDir: string
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** False for tests: faster, and lost with the machine. */
  durable?: boolean
  guise?: Guise
  /** How long to wait for another owner of the data folder to let go. */
  patienceMs?: number
}

/** Starts or adopts the Postgres of a data folder and keeps it running until stopped. */
export async function startPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log, durable = true } = options
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
  const dataDir = realpathSync(options.dataDir)
  const owner = await becomeSoleOwner(dataDir, { withinMs: options.patienceMs ?? 2_000 })
  try {
    const password = mintedWord(dataDir, PASSWORD_FILE)
    const place = findInstallation(dataDir, options.guise)
    ensureCluster(place, { password, durable })
    const found = livingPostmaster(place)
    const postmaster = found ? watchPostmaster(place, found.pid) : await launchPatiently(place, durable)
    await ensureDatabase(place, password)
    const keeper = keepRunning(place, postmaster, { log, durable })
    const end = (withinMs: number) => keeper.stop(withinMs).finally(owner.release)
    return {
      url: addressOf(place, password),
      adopted: found !== undefined,
      pid: keeper.pid,
      stop: () => end(STOP_WITHIN_MS),
      kill: () => end(0),
    }
  } catch (error) {
    owner.release()
    throw error
  }
}

/** The address of the Postgres of a data folder if it runs. */
export function findPostgres(folder: string): { url: string } | undefined {
  if (!existsSync(folder)) return undefined
  const dataDir = realpathSync(folder)
  const place = findInstallation(dataDir)
  if (!livingPostmaster(place)?.isReady) return undefined
  return { url: addressOf(place, mintedWord(dataDir, PASSWORD_FILE)) }
}

/** Ends the Postgres of a data folder that nobody keeps any more. */
export async function endPostgres(folder: string): Promise<void> {
  const place = findInstallation(realpathSync(folder))
  const found = livingPostmaster(place)
  if (found) await stopPostmaster(watchPostmaster(place, found.pid), STOP_WITHIN_MS)
}

/** After a kill, the backends of the old server hold its memory for a moment, and the new one refuses until then. */
async function launchPatiently(place: Installation, durable: boolean): Promise<Postmaster> {
  const backOff = new BackOff()
  for (let tries = 1; ; tries += 1) {
    try {
      return await launchPostmaster(place, durable)
    } catch (error) {
      if (tries === LAUNCH_TRIES) throw new SetUpError((error as Error).message)
      await sleep(backOff.failed())
    }
  }
}

function keepRunning(
  place: Installation,
  first: Postmaster,
  options: { log: EmbeddedOptions['log']; durable: boolean },
) {
  let current = first
  let isStopping = false
  const backOff = new BackOff()
  const done = new AbortController()

  async function keep(): Promise<void> {
    backOff.started()
    while (!isStopping) {
      await current.exited
      while (!isStopping && !(await relaunched())) {}
    }
  }

  async function relaunched(): Promise<boolean> {
    const waitMs = backOff.failed()
    options.log.warn({ waitMs }, 'Postgres ended unasked; it is started again')
    await sleep(waitMs, undefined, { signal: done.signal }).catch(() => undefined)
    if (isStopping) return false
    try {
      current = await launchPostmaster(place, options.durable)
      backOff.started()
      options.log.info({ pid: current.pid }, 'Postgres runs again')
      return true
    } catch (error) {
      options.log.error({ err: error }, 'Postgres could not be started again')
      return false
    }
  }

  const kept = keep()
  return {
    pid: () => current.pid,
    async stop(withinMs: number) {
      isStopping = true
      done.abort()
      await stopPostmaster(current, withinMs)
      await kept
      await stopPostmaster(current, withinMs)
    },
  }
}

async function ensureDatabase(place: Installation, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: addressOf(place, password, 'postgres') })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}

function addressOf(place: Installation, password: string, database = DATABASE): string {
  const socketDir = livingPostmaster(place)?.socketDir || place.socketDir
  const query = new URLSearchParams({ host: socketDir, port: '5432', user: SUPERUSER, password })
  return `postgresql:///${database}?${query}`
}

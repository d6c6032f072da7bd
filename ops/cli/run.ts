import { Problem } from '#kit'
import { openDb } from '../../sql/db.ts'
import { RestoreUnfinished } from '../../sql/installation/restoring.ts'
import { DatabaseTooOld, migrate } from '../../sql/migrate.ts'
import { BackupError } from '../backup/errors.ts'
import { type Config, ConfigError, loadConfig, requireInstallation } from '../config.ts'
import { findPostgres, startPostgres } from '../embedded/postgres.ts'
import { openLog } from '../log.ts'
import { BackupPlaceError } from '../providers/backup/contract.ts'
import { SetUpError } from '../set-up-error.ts'
import { type CommandOutput, type Run, UsageError } from './verb.ts'

const USER_ERRORS = [
  UsageError,
  ConfigError,
  SetUpError,
  RangeError,
  DatabaseTooOld,
  RestoreUnfinished,
  BackupError,
  BackupPlaceError,
]
/** Postgres error codes: no such schema, table or function. */
const MISSING_SCHEMA_CODES = ['3F000', '42P01', '42883']

type Strings = Readonly<Record<string, string | undefined>>

export async function runVerb(
  noun: string,
  run: Run,
  args: readonly string[],
  { flags, env }: { flags: Strings; env: Strings | undefined },
): Promise<CommandOutput> {
  requireInstallation({ needsSecret: noun !== 'migrate' }, env)
  const config = loadConfig(env)
  const { url, release } = await openDatabase(config)
  const db = openDb(url, { name: 'cli', size: 2 })
  try {
    return await run({ db, url, config, env }, args, flags)
  } finally {
    await db.end()
    await release()
  }
}

export function describeError(error: unknown): string {
  if (error instanceof Problem) return describeProblem(error)
  const { message, code, cause, stack } = error as Error & { code?: string; cause?: Error }
  if (code && MISSING_SCHEMA_CODES.includes(code))
    return 'The database does not have the schema of this release; run npm run migrate.'
  if (USER_ERRORS.some(kind => error instanceof kind)) return message
  if (cause) return `${message}: ${cause.message}`
  return stack ?? message
}

/** With the field that is meant, if the problem names one. */
function describeProblem({ code, message, hints }: Problem): string {
  if (code !== 'INVALID_PARAM' || typeof hints.reason !== 'string') return message
  return `${String(hints.field)}: ${hints.reason}`
}

/** Opens the database of this installation; starts the embedded one for this command if it is not running. */
async function openDatabase(config: Config): Promise<{ url: string; release(): Promise<void> }> {
  const url = config.databaseUrl ?? findPostgres(config.dataDir)?.url
  if (url) return { url, release: async () => undefined }
  const log = openLog({ logLevel: 'silent', name: 'cli' })
  const postgres = await startPostgres({ dataDir: config.dataDir, log, lockTimeoutMs: 5_000 })
  try {
    await migrate(postgres.url)
  } catch (error) {
    await postgres.stop()
    throw error
  }
  return { url: postgres.url, release: () => postgres.stop() }
}

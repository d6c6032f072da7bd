import { Problem } from '#kit'
import { openDb } from '../../sql/db.ts'
import { RestoreUnfinished } from '../../sql/installation/restoring.ts'
import { DatabaseTooOld } from '../../sql/migrate.ts'
import { BackupError } from '../backup/errors.ts'
import { ConfigError, loadConfig, requireInstallation } from '../config.ts'
import { BackupPlaceError } from '../providers/backup/contract.ts'
import { SetUpError } from '../set-up-error.ts'
import { openDatabase } from './database.ts'
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
  if (error instanceof Problem) return error.message
  const { message, code, cause, stack } = error as Error & { code?: string; cause?: Error }
  if (code && MISSING_SCHEMA_CODES.includes(code))
    return 'The database does not have the schema of this release; run npm run migrate.'
  if (USER_ERRORS.some(kind => error instanceof kind)) return message
  if (cause) return `${message}: ${cause.message}`
  return stack ?? message
}

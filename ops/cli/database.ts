import { migrate } from '../../sql/migrate.ts'
import type { Config } from '../config.ts'
import { findPostgres, startPostgres } from '../embedded/postgres.ts'
import { openLog } from '../log.ts'

/** Opens the database of this installation; starts the embedded one for this command if it is not running. */
export async function openDatabase(config: Config): Promise<{ url: string; release(): Promise<void> }> {
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

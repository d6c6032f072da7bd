import { migrate } from '../../sql/migrate.ts'
import type { Config } from '../config.ts'
import { findPostgres, startPostgres } from '../embedded/postgres.ts'
import { openLog } from '../log.ts'

/** The database of this installation; the embedded one is started for the command where it does not run. */
export async function reachDatabase(config: Config): Promise<{ url: string; leave(): Promise<void> }> {
  const url = config.databaseUrl ?? findPostgres(config.dataDir)?.url
  if (url) return { url, leave: async () => undefined }
  const log = openLog({ logLevel: 'silent', name: 'cli' })
  const postgres = await startPostgres({ dataDir: config.dataDir, log, patienceMs: 5_000 })
  try {
    await migrate(postgres.url)
  } catch (error) {
    await postgres.stop()
    throw error
  }
  return { url: postgres.url, leave: () => postgres.stop() }
}

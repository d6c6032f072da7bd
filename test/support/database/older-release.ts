import { readFile } from 'node:fs/promises'
import { brotliDecompressSync } from 'node:zlib'
import pg from 'pg'
import { emptyDatabase } from './fresh.ts'

/**
 * A database with what accounts had in it at commit d85e6de, the oldest release that can be upgraded from: a dump of the
 * database that its tests of routes had used, one after the other.
 */
export async function openOlderRelease(): Promise<AsyncDisposable & { url: string }> {
  const database = await emptyDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    const dump = await readFile(new URL('older-release.sql.br', import.meta.url))
    await client.query(brotliDecompressSync(dump).toString())
    // As if the dump were made now: jobs that were open then would be over since.
    await client.query(
      "update svc.job set deadline_at = now() + interval '1 hour' where status in ('submitted', 'running')",
    )
  } finally {
    await client.end()
  }
  return database
}

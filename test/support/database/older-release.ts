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
  } finally {
    await client.end()
  }
  return database
}

import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { endPostgres, startPostgres } from '../../ops/embedded/postgres.ts'
import { migrate } from '../../sql/migrate.ts'
import type {} from './database.ts'

const PARENT = '/tmp'
const FOLDER = /^coinop-test-postgres-(\d+)-/

/** One Postgres for the whole run, with one migrated database that every test's own is copied from. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  await sweep()
  const dataDir = await mkdtemp(join(PARENT, `coinop-test-postgres-${process.pid}-`))
  const postgres = await startPostgres({ dataDir, log: console, durable: false })
  await migrate(postgres.url)
  project.provide('databaseUrl', postgres.url)
  return async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** A run that was killed leaves its Postgres behind; the next run ends it. */
async function sweep(): Promise<void> {
  for (const name of readdirSync(PARENT)) {
    const runner = FOLDER.exec(name)?.[1]
    if (!runner || existsSync(`/proc/${runner}`)) continue
    const folder = join(PARENT, name)
    await endPostgres(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

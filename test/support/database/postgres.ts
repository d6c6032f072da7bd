import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { endPostgres, startPostgres } from '../../../ops/embedded/postgres.ts'
import { migrate } from '../../../sql/migrate.ts'
import type {} from './fresh.ts'

const PARENT_FOLDER = '/tmp'
const DATA_FOLDER = /^coinop-test-postgres-(\d+)-/

/** One Postgres for the whole run, with one migrated database that is the template of every test's database. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers()
  const dataDir = await mkdtemp(join(PARENT_FOLDER, `coinop-test-postgres-${process.pid}-`))
  const postgres = await startPostgres({ dataDir, log: console, isDurable: false })
  await migrate(postgres.url)
  project.provide('databaseUrl', postgres.url)
  project.provide('runFolder', dataDir)
  return async () => {
    await postgres.stop()
    // The services of a run may still be stopping and write into it.
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20 })
  }
}

/** A run that was killed leaves its Postgres behind; the next run ends it. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(PARENT_FOLDER)) {
    const runnerPid = DATA_FOLDER.exec(name)?.[1]
    if (!runnerPid || existsSync(`/proc/${runnerPid}`)) continue
    const folder = join(PARENT_FOLDER, name)
    await endPostgres(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

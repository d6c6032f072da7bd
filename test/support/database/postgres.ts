import { existsSync, readdirSync, statfsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { freemem } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { endPostgres, startPostgres } from '../../../ops/embedded/postgres.ts'
import { migrate } from '../../../sql/migrate.ts'
import type {} from './fresh.ts'

const MEMORY_FOLDER = '/dev/shm'
const DISK_FOLDER = '/tmp'
const MEMORY_BYTES = 2 * 2 ** 30
const OWN_FOLDER = /^coinop-test-(postgres|run)-(\d+)-/

/** One Postgres for the whole run, with one migrated database that is the template of every test's database. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers()
  const dataDir = await mkdtemp(join(chooseParentFolder(), `coinop-test-postgres-${process.pid}-`))
  const runFolder = await mkdtemp(join(DISK_FOLDER, `coinop-test-run-${process.pid}-`))
  const postgres = await startPostgres({ dataDir, log: console, isDurable: false })
  await migrate(postgres.url)
  project.provide('databaseUrl', postgres.url)
  project.provide('runFolder', runFolder)
  return async () => {
    await postgres.stop()
    // The services of a run may still be stopping and write into it.
    for (const folder of [dataDir, runFolder]) await rm(folder, { recursive: true, force: true, maxRetries: 20 })
  }
}

/** In memory where there is room: a database is some thousand small files, which take a disk ten times as long to copy. */
function chooseParentFolder(): string {
  if (!existsSync(MEMORY_FOLDER) || freemem() < 2 * MEMORY_BYTES) return DISK_FOLDER
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
  return bavail * bsize < MEMORY_BYTES ? DISK_FOLDER : MEMORY_FOLDER
}

/** A run that was killed leaves its Postgres behind; the next run ends it. */
async function removeLeftovers(): Promise<void> {
  for (const parent of [MEMORY_FOLDER, DISK_FOLDER].filter(existsSync)) {
    for (const name of readdirSync(parent)) {
      const [, kind, runnerPid] = OWN_FOLDER.exec(name) ?? []
      if (!runnerPid || existsSync(`/proc/${runnerPid}`)) continue
      const folder = join(parent, name)
      if (kind === 'postgres') await endPostgres(folder)
      await rm(folder, { recursive: true, force: true })
    }
  }
}

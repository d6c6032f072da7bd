import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The migrated database of the run's Postgres. It is only a template: each test uses a copy. */
    databaseUrl: string
    /** A folder that is removed after the run. */
    runFolder: string
  }
}

const TEMPLATE = 'coinop'

/** A migrated database for one test, dropped when the test ends. */
export function freshDatabase(): Promise<AsyncDisposable & { url: string }> {
  return createDatabase(`${TEMPLATE} strategy file_copy`)
}

/** A database without any tables. */
export function emptyDatabase(): Promise<AsyncDisposable & { url: string }> {
  return createDatabase('template0')
}

async function createDatabase(template: string): Promise<AsyncDisposable & { url: string }> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await runAsAdmin(`create database ${name} template ${template}`)
  return {
    url: databaseUrlOf(name),
    [Symbol.asyncDispose]: () => runAsAdmin(`drop database if exists ${name} with (force)`),
  }
}

let admin: pg.Pool | undefined

/** Kept by the process, because another connection for each database takes longer than what is asked of it. */
async function runAsAdmin(statement: string): Promise<void> {
  admin ??= openAdmin()
  await admin.query(statement)
}

function openAdmin(): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrlOf('postgres'),
    allowExitOnIdle: true,
    idleTimeoutMillis: 60_000,
  })
  // At the end of a run Postgres may stop before this process.
  pool.on('error', () => undefined)
  return pool
}

function databaseUrlOf(name: string): string {
  return inject('databaseUrl').replace(`/${TEMPLATE}?`, `/${name}?`)
}

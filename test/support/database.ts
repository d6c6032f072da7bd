import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The migrated database of the run's Postgres. Nobody works in it: it is what others are copied from. */
    databaseUrl: string
  }
}

const TEMPLATE = 'coinop'

/** A migrated database of the test's own, gone when the test is over. */
export function freshDatabase(): Promise<AsyncDisposable & { url: string }> {
  return copyOf(`${TEMPLATE} strategy file_copy`)
}

/** A database that nothing has migrated or written to. */
export function emptyDatabase(): Promise<AsyncDisposable & { url: string }> {
  return copyOf('template0')
}

async function copyOf(template: string): Promise<AsyncDisposable & { url: string }> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name} template ${template}`)
  return {
    url: withDatabase(name),
    [Symbol.asyncDispose]: () => administer(`drop database if exists ${name} with (force)`),
  }
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase('postgres') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function withDatabase(name: string): string {
  return inject('databaseUrl').replace(`/${TEMPLATE}?`, `/${name}?`)
}

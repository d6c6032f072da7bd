import pg from 'pg'
import { rows } from '../../../sql/db.ts'
import { eventually } from '../machine/eventually.ts'
import type { Role } from './role.ts'
import type { Stack } from './start.ts'

/** What becomes of the statements that a process was waiting for when it was killed. */
export type Outcome = 'committed' | 'rolled back'

interface Killing {
  /** Takes locks that the statements wait for, in the transaction of this client. */
  hold(client: pg.Client): Promise<unknown>
  /** Begins the work; its calls may fail. */
  begin(): unknown
  /** How many statements must be waiting before the process is killed. */
  waiting: number
  role: Role
  outcome: Outcome
}

/**
 * Kills a process while statements of its are waiting in the middle of their work. Either all of them go on and are committed
 * although nobody hears of it, or nothing of them remains.
 */
export async function killWhileWaiting({ databaseUrl, db }: Stack, killing: Killing): Promise<void> {
  const { hold, begin, waiting, role, outcome } = killing
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'coinop test' })
  await client.connect()
  try {
    await client.query('begin')
    await hold(client)
    begin()
    const pids = await eventually(`${waiting} statements to wait`, async () => {
      const found = await listWaiting(db)
      return found.length >= waiting && found
    })
    await role.kill()
    if (outcome === 'rolled back') await rows(db, 'select pg_terminate_backend(p) from unnest($1::int[]) p', [pids])
    if (outcome === 'rolled back') await waitUntilGone(db, pids)
    await client.query('commit')
    await waitUntilGone(db, pids)
  } finally {
    await client.end()
  }
}

async function listWaiting(db: Stack['db']): Promise<number[]> {
  const text = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and application_name <> 'coinop test'`
  return (await rows<{ pid: number }>(db, text)).map(({ pid }) => pid)
}

async function waitUntilGone(db: Stack['db'], pids: number[]): Promise<void> {
  const text = 'select from pg_stat_activity where pid = any ($1) and datname = current_database()'
  await eventually('the statements to end', async () => (await rows(db, text, [pids])).length === 0)
}

import { findFreePort } from '../../free-ports.ts'
import { type Role, startRole } from '../role.ts'
import type { Stack } from '../stack.ts'

export interface FloorServer extends AsyncDisposable {
  baseUrl: string
  role: Role
}

/** The smallest possible account table, with the same storage parameters as ours. */
export const FLOOR_TABLE_SQL = `
  create schema if not exists floor;
  create table if not exists floor.account (
    id integer primary key,
    balance_micros bigint not null check (balance_micros >= 0)
  ) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);
  create table if not exists floor.entry (id bigint generated always as identity primary key, content text not null);
  insert into floor.account select id, 1000000000000000 from generate_series(0, 63) id on conflict do nothing`

/** Starts the floor server, on the same Postgres and Node as the service it is compared with. */
export async function startFloorServer(
  stack: Pick<Stack, 'db' | 'databaseUrl' | 'logPath' | 'config'>,
): Promise<FloorServer> {
  await stack.db.query({ text: FLOOR_TABLE_SQL })
  await stack.db.query({ text: "insert into floor.entry (content) values (repeat('x', 1024))" })
  const port = await findFreePort()
  const env = { DATABASE_URL: stack.databaseUrl, PORT: String(port), FOLDER: stack.config.dataDir }
  const role = await startRole({ script: 'ops/bench/floor/server.ts', env, logPath: stack.logPath })
  return { baseUrl: `http://127.0.0.1:${port}`, role, [Symbol.asyncDispose]: () => role.stop() }
}

import { type Role, startRole } from './role.ts'
import { freePort, type Stack } from './stack.ts'

export interface FloorServer extends AsyncDisposable {
  baseUrl: string
  role: Role
}

/** As small as an account can be, kept as ours is. */
export const FLOOR_TABLE = `
  create schema if not exists floor;
  create table if not exists floor.account (
    id integer primary key,
    balance_micros bigint not null check (balance_micros >= 0)
  ) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);
  insert into floor.account select id, 1000000000000000 from generate_series(0, 63) id on conflict do nothing`

/** The server of the floor, on the same Postgres and Node as what it is held against. */
export async function openFloor(on: Pick<Stack, 'db' | 'databaseUrl' | 'logPath' | 'config'>): Promise<FloorServer> {
  await on.db.query({ text: FLOOR_TABLE })
  const port = await freePort()
  const env = { DATABASE_URL: on.databaseUrl, PORT: String(port), FOLDER: on.config.dataDir }
  const role = await startRole({ script: 'ops/bench/floor-server.ts', env, logPath: on.logPath })
  return { baseUrl: `http://127.0.0.1:${port}`, role, [Symbol.asyncDispose]: () => role.stop() }
}

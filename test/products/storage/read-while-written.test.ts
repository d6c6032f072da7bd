import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows, value } from '../../../sql/db.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

/** Makes readers wait in the middle, for the lock that the client takes. */
const WAIT_WITHIN = `create or replace function lease.require_usable(_lease svc.lease, _account uuid) returns void language plpgsql as $$
  begin
    if current_setting('application_name') = 'reader' then
      perform pg_advisory_xact_lock(7);
    end if;
  end $$`

test('a read during a write shows one version with its own bytes', async () => {
  const { db, config } = api.context
  const owner = await openBatonOwner(api)
  const send = (method: 'POST' | 'PUT', url: string, payload: string) =>
    api.app.inject({ method, url, payload, headers: { ...owner.headers, 'content-type': 'text/plain' } })
  const { lease_id: leaseId, sha256 } = (await send('POST', '/api/storage', 'one')).json()
  await rows(db, WAIT_WITHIN)
  const [holder, reader] = ['holder', 'reader'].map(
    name => new pg.Client({ connectionString: config.databaseUrl, application_name: name }),
  ) as [pg.Client, pg.Client]
  await Promise.all([holder.connect(), reader.connect()])
  try {
    await holder.query('select pg_advisory_lock(7)')
    const reading = reader.query('select storage.read($1, $2) as found', [owner.accountId, leaseId.slice(4)])
    const waiting =
      "select count(*)::int from pg_stat_activity where wait_event = 'advisory' and datname = current_database()"
    await eventually('the read to wait', async () => (await value<number>(db, waiting)) > 0)
    expect((await send('PUT', `/api/storage/${leaseId}`, 'another')).statusCode).toBe(200)
    await holder.query('select pg_advisory_unlock(7)')
    expect((await reading).rows[0].found.view).toMatchObject({ version: 1, sha256, size_bytes: 3 })
  } finally {
    await Promise.all([holder.end(), reader.end()])
  }
})

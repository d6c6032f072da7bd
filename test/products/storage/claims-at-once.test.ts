import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createAccount, creditAccount } from '../../../sql/account.ts'
import { value } from '../../../sql/db.ts'
import { createKey } from '../../../sql/key.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

test('a file that is deleted on its claim is taken once, although two links are followed at once', async () => {
  const { db, config } = api.context
  const { id: accountId } = await createAccount(db)
  await creditAccount(db, { accountId, amountMicros: 1_000_000n })
  const key = await createKey(db, { accountId, mode: 'live', hash: word => hashApiKey(config.secret, word) })
  const post = (url: string, payload: string | object, headers: object = {}) =>
    api.app.inject({ method: 'POST', url, payload, headers: { authorization: `Bearer ${key}`, ...headers } })
  const stored = await post('/api/storage', 'once', { 'content-type': 'text/plain', 'x-delete-on-claim': 'true' })
  const { lease_id: leaseId } = stored.json()
  const [first, second] = [await post(`/api/handoff/${leaseId}`, {}), await post(`/api/handoff/${leaseId}`, {})]

  const client = new pg.Client({ connectionString: config.databaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<{ pid: number }>(
      `select pg_backend_pid() as pid, handoff.claim(token_hash, null, null, '\\x01', false)
        from svc.handoff where id = $1`,
      [first.json().handoff_id.slice('hof_'.length)],
    )
    const answered = api.app
      .inject({ method: 'POST', url: new URL(second.json().claim_url).pathname, payload: {} })
      .then(answer => answer)
    const blocked = 'select count(*)::int from pg_stat_activity where $1 = any (pg_blocking_pids(pid))'
    await eventually('the second claim to wait', async () => (await value<number>(db, blocked, [rows[0]!.pid])) > 0)
    await client.query('commit')
    const answer = await answered
    expect([answer.statusCode, answer.json()]).toMatchObject([410, { code: 'GONE', reason: 'claimed' }])
  } finally {
    await client.end()
  }
})

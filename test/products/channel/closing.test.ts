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

test('a message that is sent while the channel is closed is refused, and nothing of it is kept', async () => {
  const { db, config } = api.context
  const owner = await openBatonOwner(api)
  const { id } = (await owner.call('POST', '/v1/bridge/channels', {})).json()
  const client = new pg.Client({ connectionString: config.databaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    const { rows: closed } = await client.query<{ pid: number }>(
      'select pg_backend_pid() as pid, channel.close($1, $2)',
      [owner.accountId, id.slice('chn_'.length)],
    )
    const sent = owner.call('POST', `/v1/bridge/channels/${id}/messages`, { body: 'late' }).then(answer => answer)
    const blocked = 'select count(*)::int from pg_stat_activity where $1 = any (pg_blocking_pids(pid))'
    await eventually('the message to wait', async () => (await value<number>(db, blocked, [closed[0]!.pid])) > 0)
    await client.query('commit')
    expect((await sent).json()).toMatchObject({ code: 'GONE' })
    expect(await rows(db, 'select seq from svc.channel_message')).toEqual([])
  } finally {
    await client.end()
  }
})

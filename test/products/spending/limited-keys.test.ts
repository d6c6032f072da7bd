import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createKey } from '../../../sql/key.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

test.each(['spend-alarms/day', 'balance-alarm'])(
  '%s: a key with limits can set it, but not silence the owner who is warned by it',
  async name => {
    const { db, config } = api.context
    const owner = await openBatonOwner(api)
    const hash = (key: string) => hashApiKey(config.secret, key)
    const limited = await createKey(db, { accountId: owner.accountId, mode: 'live', hash, dailyCapMicros: 1_000_000n })
    const url = `/v1/account/${name}`
    const askLimited = async (method: 'PUT' | 'DELETE', limitMicros = '1') => {
      const headers = { authorization: `Bearer ${limited}` }
      const payload = method === 'PUT' ? { payload: { limitMicros } } : {}
      const reply = await api.app.inject({ method, url, headers, ...payload })
      return { status: reply.statusCode, body: reply.json() }
    }
    const first = { status: 200, body: { limitMicros: '1000000' } }
    expect(await askLimited('PUT', '1000000')).toMatchObject(first)
    for (const refused of [await askLimited('PUT', '900000000'), await askLimited('DELETE')])
      expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN', reason: expect.any(String) } })
    expect((await owner.call('PUT', url, { limitMicros: '2000000' })).json()).toMatchObject({ limitMicros: '2000000' })
    expect((await owner.call('DELETE', url)).statusCode).toBe(204)
    expect(await askLimited('PUT', '1000000')).toMatchObject(first)
  },
)

import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeSetting } from '../../../sql/setting.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

async function report(payload: object) {
  const answer = await api.app.inject({ method: 'POST', url: '/v1/security/report-key', payload })
  return [answer.statusCode, answer.payload]
}
const RECEIVED = [202, '{"status":"received"}']

async function openOwner() {
  const owner = await openBatonOwner(api)
  const { headers } = await openBatonOwner(api)
  const isRefused = async () => (await owner.call('GET', '/v1/account')).statusCode === 401
  return { ...owner, isRefused, others: headers }
}

/** What the owner was told; read in the database, because the reported key opens nothing any more. */
async function readMessages(accountId: string) {
  const { rows } = await api.context.db.query({
    text: 'select name, data from svc.notification where account_id = $1 order by created_at',
    values: [accountId],
  })
  return rows
}

test('a key that is reported whole is refused from the next call on, and its owner is told once', async () => {
  const owner = await openOwner()
  const found = {
    token: ` ${owner.key}\n`,
    type: 'coinop_key',
    url: 'https://example.com/a\r\nb.txt',
    source: 'content',
  }
  expect(await report([found, { token: `ghp_${'0'.repeat(36)}` }])).toEqual(RECEIVED)
  expect(await owner.isRefused()).toBe(true)
  expect(await report([found])).toEqual(RECEIVED)
  const prefix = owner.key.slice(0, 17)
  const facts = { prefix, foundAt: expect.stringMatching(/^https:\/\/example\.com\/a ?b\.txt$/) }
  expect(await readMessages(owner.accountId)).toEqual([{ name: 'security.key_revoked', data: facts }])
  const { rows } = await api.context.db.query({
    text: 'select actor, action, detail from svc.audit_entry where account_id = $1',
    values: [owner.accountId],
  })
  expect(rows).toEqual([{ actor: 'report', action: 'key_revoked', detail: facts }])
})

test('a beginning of a key revokes nothing, its owner is told once, and every text gets the same answer', async () => {
  const owner = await openOwner()
  const prefix = owner.key.slice(0, 17)
  const guess = `${prefix}${'0'.repeat(24)}`
  for (const token of [prefix, `${prefix}...`, guess, 'nonsense', `svc_live_${'f'.repeat(32)}`])
    expect(await report({ reports: [{ token }] })).toEqual(RECEIVED)
  expect(await owner.isRefused()).toBe(false)
  expect(await readMessages(owner.accountId)).toEqual([{ name: 'security.prefix_reported', data: { prefix } }])
})

test('an address reports a limited number of times', async () => {
  await writeSetting(api.context.db, 'rate.key_reports_per_minute', 1)
  await api.context.settings.refresh()
  const answers = [await report([{ token: 'a' }]), await report([{ token: 'a' }])]
  expect(answers.at(-1)![0]).toBe(429)
  await writeSetting(api.context.db, 'rate.key_reports_per_minute', null)
  await api.context.settings.refresh()
  expect((await report([]))[0]).toBe(400)
})

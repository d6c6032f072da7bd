import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBatonOwner } from '../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../support/stack/in-process-api.ts'

let api: InProcessApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
beforeAll(async () => {
  api = await openInProcessApi()
  owner = await openBatonOwner(api)
})
afterAll(() => api[Symbol.asyncDispose]())

test.each([
  '/v1/esigndoc/envelopes?recipientEmail=a%00b',
  '/v1/idverify/verifications?referenceId=a%00b',
  '/v1/pipelines/a%00b',
])('GET %s is refused as a wrong field, because the database keeps no NUL', async url => {
  const answer = await owner.call('GET', url)
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'INVALID_PARAM'])
})

test.each(['a\0b@b.example', 'a\ud800@b.example', 'nobody'])(
  'the mail address %j is refused for nothing',
  async email => {
    const lease = (await owner.call('POST', '/api/storage', Buffer.from('a'), { 'content-type': 'text/plain' })).json()
    const before = await owner.money()
    const parties = [email, 'b@b.example'].map((mail, index) => ({ key: `p${index}`, method: 'account', email: mail }))
    const made = await owner.call('POST', '/v1/contracts', { title: 'Lease', terms: 'None.', parties })
    const link = await owner.call('POST', `/api/handoff/${lease.lease_id}`, { claimant_email: email })
    expect([made, link].map(answer => [answer.statusCode, answer.json().code, answer.json().field])).toEqual([
      [400, 'INVALID_PARAM', 'parties.0.email'],
      [400, 'INVALID_PARAM', 'claimant_email'],
    ])
    expect(await owner.money()).toEqual(before)
  },
)

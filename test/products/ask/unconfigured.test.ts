import { expect, test } from 'vitest'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { openInProcessApi } from '../../support/stack/in-process-api.ts'

test('who cannot be reached here is refused before a charge, or listed as undelivered beside others', async () => {
  await using api = await openInProcessApi()
  const owner = await openBatonOwner(api)
  const ask = async (to: object[]) => {
    const answer = await owner.call('POST', '/v1/bridge/asks', { question: 'May I?', to })
    return { status: answer.statusCode, body: answer.json() }
  }
  for (const [recipient, capability] of [
    [{ email: 'a@example.com' }, 'notify.email'],
    [{ slack: '#ops' }, 'notify.slack'],
    [{ telegram: '1' }, 'notify.telegram'],
    [{ sms: '+491701234567' }, 'notify.sms'],
  ] as const) {
    const { status, body } = await ask([recipient])
    expect([status, body.code, body.capability]).toEqual([503, 'PROVIDER_NOT_CONFIGURED', capability])
  }
  expect(await owner.money()).toEqual([1_000_000n, 0n])
  const some = await ask([{ email: 'a@example.com' }, { webhook: 'https://agent.example/' }])
  expect(some.status).toBe(201)
  expect(some.body.undelivered).toEqual([
    { recipient: 'a@example.com', reason: 'notify.email is not configured here.' },
  ])
  const { notify } = (await api.app.inject({ url: '/v1/capabilities' })).json()
  expect(notify).toMatchObject({ email: { available: false, set: 'SMTP_URL' }, webhook: { available: true } })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EnvelopeApi, LETTER, openEnvelopeApi, openSender, SIGNATURE } from './parts.ts'

let home: EnvelopeApi
beforeAll(async () => {
  home = await openEnvelopeApi()
})
afterAll(() => home[Symbol.asyncDispose]())

test.each([
  ['numbered recipients are asked in turn', { order: 2 }, {}, 'sequential', ['notified', 'waiting']],
  ['recipients without numbers are asked at once', {}, {}, 'parallel', ['notified', 'notified']],
  ['what is said wins', { order: 2 }, { signingOrder: 'parallel' }, 'parallel', ['notified', 'notified']],
])('%s', async (_title, second, more, signingOrder, statuses) => {
  const owner = await openSender(home)
  const envelope = await owner.send({
    ...{ file: await LETTER(), ...more },
    recipients: [{ name: 'Ida' }, { name: 'Bo', ...second }],
    fields: [
      { ...SIGNATURE, recipient: 0 },
      { ...SIGNATURE, recipient: 1, x: 60 },
    ],
  })
  expect(envelope.recipients.map(({ status }) => status)).toEqual(statuses)
  const { body } = await owner.call('GET', `/v1/esigndoc/envelopes/${envelope.id}`)
  expect(body.signingOrder).toBe(signingOrder)
})

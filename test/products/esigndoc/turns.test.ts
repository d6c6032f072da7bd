import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EnvelopeApi, LETTER, openEnvelopeApi, openSender, SIGNATURE } from './parts.ts'

let home: EnvelopeApi
beforeAll(async () => {
  home = await openEnvelopeApi()
})
afterAll(() => home[Symbol.asyncDispose]())

const TURNS = [{ code: 'ORDER_WITHOUT_TURNS' }]

test.each([
  ['recipients are asked in turn', { order: 2 }, { signingOrder: 'sequential' }, ['notified', 'waiting'], undefined],
  ['recipients without numbers are asked at once', {}, {}, ['notified', 'notified'], undefined],
  ['numbers without turns are warned of', { order: 2 }, {}, ['notified', 'notified'], TURNS],
  ['so they are of a draft', { order: 2 }, { sendImmediately: false }, ['waiting', 'waiting'], TURNS],
])('%s', async (_title, second, more, statuses, warnings) => {
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
  expect(body.warnings).toEqual(warnings)
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { type EnvelopeApi, LETTER, openEnvelopeApi, openSender, SIGNATURE } from './parts.ts'

let home: EnvelopeApi
beforeAll(async () => {
  home = await openEnvelopeApi()
})
afterAll(() => home[Symbol.asyncDispose]())

const PATH = '/v1/esigndoc/envelopes'
const makeBody = async () => ({ file: await LETTER(), recipients: [{ name: 'Ida' }], fields: [SIGNATURE] })

async function listPreparations(accountId: string) {
  const found = 'select id from svc.envelope_preparation where account_id = $1'
  return (await rows<{ id: string }>(home.api.context.db, found, [accountId])).map(({ id }) => id)
}

test('a call that is made again while a worker looks at its documents waits for the same, not from the start', async () => {
  const owner = await openSender(home)
  const count = async () => (await listPreparations(owner.accountId)).length
  const ask = async (body: object) =>
    home.api.app.inject({ method: 'POST', url: PATH, headers: owner.headers, payload: body })
  const body = await makeBody()
  const first = ask(body)
  await eventually('the first preparation', async () => (await count()) === 1)
  const others = [
    ask(body),
    ask({ ...body, title: 'Again' }),
    ask({ ...body, file: { ...body.file, name: 'other.pdf' } }),
  ]
  await eventually('another one, of a file with another name', async () => (await count()) === 2)
  const answers = await home.withWorker(Promise.all([first, ...others]))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 201])
  expect(await count()).toBe(2)
})

test('what is done is taken by the next call, until an envelope has it or it has failed', async () => {
  const owner = await openSender(home)
  const count = async () => (await listPreparations(owner.accountId)).length
  const body = await makeBody()
  const quote = await owner.call('POST', PATH, { ...body, dryRun: true })
  expect(quote.body.quote.amountMicros).toBe('300000')
  const one = await owner.send(body)
  expect(await count()).toBe(1)
  const two = await owner.send(body)
  expect(await count()).toBe(2)
  expect((await owner.call('DELETE', `${PATH}/${one.id}`)).body.status).toBe('cancelled')
  expect((await owner.read(two.id)).status).toBe('sent')
  const other = await openSender(home)
  await other.send(body)
  expect(await listPreparations(other.accountId)).toHaveLength(1)
  const broken = { ...body, file: { inline: Buffer.from('%PDF-1.7\nnothing more').toString('base64') } }
  for (const made of [3, 4]) {
    expect((await owner.call('POST', PATH, broken)).body.code).toBe('PDF_PARSE_FAILED')
    expect(await count()).toBe(made)
  }
  await rows(home.api.context.db, "update svc.envelope_preparation set created_at = now() - interval '11 minutes'")
  expect((await owner.call('POST', PATH, { ...body, dryRun: true })).status).toBe(200)
  expect(await count()).toBe(5)
  await rows(home.api.context.db, "update svc.object set expires_at = now() where kind = 'signing'")
  await owner.send(body)
  expect(await count()).toBe(6)
})

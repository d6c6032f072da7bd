import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { type FakeLanguageModels, openFakeLanguageModels } from '../../support/servers/language-models.ts'
import { type Stack, startStack } from '../../support/stack/start.ts'

let fake: FakeLanguageModels
let stack: Stack
beforeAll(async () => {
  fake = await openFakeLanguageModels()
  stack = await startStack({ worker: false, env: fake.env })
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await fake[Symbol.asyncDispose]()
})

const ASKED = { model: 'value', messages: [{ role: 'user', content: 'Tides?' }], stream: true, max_tokens: 500 }
const KEY = { 'idempotency-key': 'one-stream' }

test('a stream whose api dies costs nothing, and can be asked for again under its key', async () => {
  const customer = await stack.customer(1_000_000n)
  fake.reply = () => ({ pieces: ['The moon '], isHanging: true })
  const response = await fetch(`${stack.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.key}`, 'content-type': 'application/json', ...KEY },
    body: JSON.stringify(ASKED),
  })
  const reader = response.body!.getReader()
  await reader.read()
  expect((await customer.money()).held).toBeGreaterThan(1_000n)
  await stack.api.kill()
  await expect(reader.read()).rejects.toThrow()
  await stack.startApi()
  fake.reply = () => ({ pieces: ['The sun.'], input: 1_000, output: 200 })
  const early = await customer.post('/v1/chat/completions', ASKED, KEY)
  expect([early.status, early.body.code]).toEqual([409, 'IDEMPOTENCY_IN_FLIGHT'])
  await rows(stack.db, "update svc.job set deadline_at = now() - interval '1 second' where status = 'submitted'")
  await rows(stack.db, 'select job.expire()')
  expect(await customer.money()).toEqual({ balance: 1_000_000n, held: 0n })
  const again = await customer.post('/v1/chat/completions', ASKED, KEY)
  expect(again.text).toContain('The sun.')
  const repeated = await customer.post('/v1/chat/completions', ASKED, KEY)
  expect(repeated.text).toContain('The sun.')
  expect(await customer.money()).toEqual({ balance: 997_600n, held: 0n })
})

test('a list whose worker dies is done by another one, and charged once', async () => {
  const customer = await stack.customer(1_000_000n)
  const first = await stack.startWorker({})
  let isSilent = true
  fake.reply = ({ user }) =>
    isSilent && user.includes('two') ? { isSilent: true } : { text: 'Gut', input: 1_000, output: 200 }
  const call = { input: ['one', 'two', 'three'], params: { to: 'de' }, async: true }
  const { body } = await customer.post('/v1/llm/translate', call)
  fake.asked.length = 0
  await eventually('the worker to ask', async () => fake.asked.some(({ user }) => user.includes('two')))
  await first.kill()
  isSilent = false
  await stack.startWorker({})
  const job = await customer.waitForEnd(body.ticket as string, 60_000)
  expect(job).toMatchObject({ status: 'succeeded', result: { results: [{ index: 0 }, { index: 1 }, { index: 2 }] } })
  expect(await customer.money()).toEqual({ balance: 1_000_000n - 7_200n, held: 0n })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleClient, type OpenedConsole, openConsole } from '../support/console/open.ts'
import { openIdleStack } from '../support/stack/default.ts'
import type { Stack } from '../support/stack/start.ts'

let stack: Stack
let console: OpenedConsole
let full: ConsoleClient
beforeAll(async () => {
  stack = await openIdleStack()
  console = await openConsole(stack)
  full = await console.operator('frida-of-forms', 'full')
})
afterAll(async () => {
  await console[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
})

test('a form that moves money and is sent twice, as by a double click, does it once', async () => {
  const customer = await stack.customer()
  const called = await customer.post('/v1/utils/hash', { text: 'hello' })
  const id = called.headers.get('x-service-job-id')!
  const before = await customer.money()
  const path = `/accounts/${customer.accountId}`
  const sendTwice = async (page: string, action: string, fields: Record<string, string>) => {
    const { text } = await full.get(page)
    const form = text.slice(text.indexOf(`action="${action}"`)).match(/name="form" value="([\w-]+)"/)![1]!
    const send = async () => (await full.submit(page, action, { ...fields, form })).status
    return (await Promise.all([send(), send(), send()])).sort()
  }
  expect(await sendTwice(path, `${path}/credit`, { amount: '2', reason: 'goodwill' })).toEqual([303, 409, 409])
  expect(await customer.money()).toEqual({ balance: before.balance + 2_000_000n, held: 0n })
  const refund = { amount: '0.0005', reason: 'half of it' }
  expect(await sendTwice(`/jobs/${id}`, `/jobs/${id}/refund`, refund)).toEqual([303, 409, 409])
  expect(await customer.money()).toEqual({ balance: before.balance + 2_000_500n, held: 0n })
  // What was refused may be sent again, with what was wrong put right.
  const { text } = await full.get(path)
  const form = text.slice(text.indexOf(`action="${path}/credit"`)).match(/name="form" value="([\w-]+)"/)![1]!
  const send = (amount: string) => full.submit(path, `${path}/credit`, { amount, reason: 'goodwill', form })
  expect((await send('9999999')).status).toBe(400)
  expect((await send('1')).status).toBe(303)
})

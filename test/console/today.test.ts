import { afterAll, beforeAll, expect, test } from 'vitest'
import { listHours, readTestRevenue } from '../../sql/admin/today.ts'
import { rows } from '../../sql/db.ts'
import { type ConsoleClient, type OpenedConsole, openConsole } from '../support/console/open.ts'
import { openIdleStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

let stack: Stack
let console: OpenedConsole
let full: ConsoleClient
beforeAll(async () => {
  stack = await openIdleStack()
  console = await openConsole(stack)
  full = await console.operator('nora', 'full')
})
afterAll(async () => {
  await console[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
})

async function callHash(customer: Customer): Promise<string> {
  const called = await customer.post('/v1/utils/hash', { text: 'hello' })
  expect(called.status).toBe(200)
  return called.headers.get('x-service-job-id')!
}

test('today shows what was called, and by the hour', async () => {
  const customer = await stack.customer()
  await callHash(customer)
  const start = new Date(Date.now() - 3_600_000)
  const hours = await listHours(stack.db, start, new Date())
  expect(hours.length).toBeGreaterThanOrEqual(1)
  expect(hours.reduce((sum, { calls }) => sum + calls, 0n)).toBeGreaterThan(0n)
  const page = await full.get('/')
  for (const text of ['Revenue by hour', 'Failures by code', 'Queue by lane', 'Payments in doubt'])
    expect(page.text).toContain(text)
})

test('revenue is real money that was not given back, and test money stands beside it', async () => {
  const now = new Date()
  const [from, to] = [new Date(now.getTime() - 3_600_000), new Date(now.getTime() + 3_600_000)]
  const sum = async () => {
    const hours = await listHours(stack.db, from, to)
    return [hours.reduce((total, hour) => total + hour.revenue_micros, 0n), await readTestRevenue(stack.db, from, to)]
  }
  const [customer, tester] = [await stack.customer(), await stack.customer()]
  await rows(stack.db, 'update svc.account set is_test = (id = $2) where id in ($1, $2)', [
    customer.accountId,
    tester.accountId,
  ])
  const [real, test] = await sum()
  const [id, tested] = [await callHash(customer), await callHash(tester)]
  expect(await sum()).toEqual([real! + 1_000n, test! + 1_000n])
  for (const job of [id, tested])
    await full.submit(`/jobs/${job}`, `/jobs/${job}/refund`, { amount: '0.0004', reason: 'slow' })
  expect(await sum()).toEqual([real! + 600n, test! + 600n])
  expect((await full.get('/')).text).toContain(' of test money')
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { wideTable } from '../support/data/tables.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Stack } from '../support/stack/start.ts'

let stack: Stack
beforeAll(async () => {
  stack = await openDefaultStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

test('wide tables are read again and again, although a process may have only so much memory', async () => {
  const customer = await stack.customer()
  const file = { inline: Buffer.from(wideTable(20)).toString('base64') }
  for (let time = 0; time < 6; time++) {
    const answer = await customer.post('/v1/data/slice', { file, limit: 5 })
    expect([time, answer.status, answer.body.code]).toEqual([time, 200, undefined])
  }
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { runPrintedCommand } from '../support/operations/printed-command.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

let stack: Stack
let customer: Customer
beforeAll(async () => {
  stack = await openDefaultStack()
  customer = await stack.customer()
})
afterAll(() => stack[Symbol.asyncDispose]())

/** One for each way in which a command gives its input; the command of every operation runs with the long tests. */
test.each([
  ['fields', 'text.slugify', { slug: expect.any(String) }],
  ['a file', 'image.resize', { output: { outputKey: expect.any(String) } }],
  ['several files', 'pdf.merge', { output: { outputKey: expect.any(String) } }],
  ['a table', 'data.filter', {}],
])('the printed command of a call with %s works', async (_, name, expected) => {
  const answer = await runPrintedCommand(stack, customer, name)
  expect(answer).toMatchObject(expected)
  expect(answer).not.toHaveProperty('error')
})

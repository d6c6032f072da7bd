import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCatalog } from '../../api/catalog.ts'
import { eventually } from '../support/machine/eventually.ts'
import { runPrintedCommand } from '../support/operations/printed-command.ts'
import { expectUnavailable } from '../support/operations/unavailable.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'
import { areAllToolsTried } from '../support/stack/tools.ts'

let stack: Stack
let customer: Customer
let paths: Record<string, { post: { 'x-svc-available': boolean } }>
beforeAll(async () => {
  stack = await openDefaultStack()
  customer = await stack.customer(100_000_000n)
  // Until a tool was tried, the operations that need it count as available.
  await eventually('all tools to be tried', () => areAllToolsTried(customer), 120_000)
  paths = (await stack.anonymous.get('/openapi.json')).body.paths
})
afterAll(() => stack[Symbol.asyncDispose]())

const { operations } = await loadCatalog()

describe.each(operations.map(operation => [operation.name, operation] as const))(
  'the printed command of %s',
  (name, operation) => {
    test('works as its text for language models prints it', async () => {
      if (!paths[operation.path]!.post['x-svc-available']) return expectUnavailable(await stack.customer(), operation)
      expect(await runPrintedCommand(stack, customer, name)).not.toHaveProperty('error')
    })
  },
)

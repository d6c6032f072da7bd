import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCatalog } from '../../api/catalog.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test walks a document before it has checked its structure.
type Json = Record<string, any>

let stack: Stack
let customer: Customer
let paths: Record<string, Json>
beforeAll(async () => {
  stack = await startStack()
  customer = await stack.customer(100_000_000n)
  paths = (await stack.anonymous.get('/openapi.json')).body.paths
})
afterAll(() => stack[Symbol.asyncDispose]())

const { operations } = await loadCatalog()

describe.each(operations.map(({ name, path, examples }) => [name, path, examples.length] as const))(
  'every printed example of %s',
  (_name, path, count) => {
    test('is answered by the running service as it stands', async context => {
      const { post } = paths[path]!
      const printed = Object.values<Json>(post.requestBody.content['application/json'].examples)
      expect(printed).toHaveLength(count)
      if (!post['x-svc-available']) context.skip()
      const answers = []
      for (const { summary, value } of printed) {
        const { status, text } = await customer.post(path, value, { prefer: 'wait=60' })
        answers.push([summary, status, status === 200 ? '' : text])
      }
      expect(answers).toEqual(printed.map(({ summary }) => [summary, 200, '']))
    }, 180_000)
  },
)

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCatalog } from '../../api/catalog.ts'
import { eventually } from '../support/machine/eventually.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'
import { areAllToolsTried } from '../support/stack/tools.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test walks a document before it has checked its structure.
type Json = Record<string, any>

const run = promisify(execFile)

let stack: Stack
let customer: Customer
let paths: Record<string, Json>
beforeAll(async () => {
  stack = await openDefaultStack()
  customer = await stack.customer(100_000_000n)
  // Until a tool was tried, the operations that need it count as available.
  await eventually('all tools to be tried', () => areAllToolsTried(customer), 120_000)
  paths = (await stack.anonymous.get('/openapi.json')).body.paths
}, 180_000)
afterAll(() => stack[Symbol.asyncDispose]())

const { operations } = await loadCatalog()

describe.each(operations.map(({ name, path }) => [name, path] as const))('the printed command of %s', (name, path) => {
  test('works as its text for language models prints it', async context => {
    if (!paths[path]!.post['x-svc-available']) context.skip()
    const { text } = await stack.anonymous.get(`/llms/${name}.txt`)
    const command = text.match(/```sh\n(.*?)\n```/s)![1]!
    await using folder = await freshFolder()
    const script = command.replaceAll('curl ', 'curl --fail-with-body -sS ')
    const { stdout } = await run('bash', ['-euc', script], {
      cwd: folder.path,
      env: { ...process.env, KEY: customer.key },
      maxBuffer: 64 << 20,
    })
    expect(JSON.parse(stdout)).not.toHaveProperty('error')
  }, 180_000)
})

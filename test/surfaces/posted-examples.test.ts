import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TOOL_LANES } from '#kit'
import { loadCatalog } from '../../api/catalog.ts'
import { listWorkers } from '../../sql/worker.ts'
import { eventually } from '../support/machine/eventually.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test walks a document before it has checked its structure.
type Json = Record<string, any>

const run = promisify(execFile)

let stack: Stack
let customer: Customer
let paths: Record<string, Json>
beforeAll(async () => {
  stack = await startStack()
  customer = await stack.customer(100_000_000n)
  // Until a tool was tried, the operations that need it count as available.
  await eventually('all tools to be tried', areAllToolsTried, 120_000)
  paths = (await stack.anonymous.get('/openapi.json')).body.paths
}, 180_000)
afterAll(() => stack[Symbol.asyncDispose]())

async function areAllToolsTried(): Promise<boolean> {
  const known = new Set((await listWorkers(stack.db)).flatMap(({ tools }) => tools.map(({ name }) => name)))
  return Object.keys(TOOL_LANES).every(tool => known.has(tool))
}

const { operations } = await loadCatalog()

describe.each(operations.map(({ name, path, examples }) => [name, path, examples.length] as const))(
  'every printed example of %s',
  (name, path, count) => {
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

    test('works as a command, as its text for language models prints it', async context => {
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
  },
)

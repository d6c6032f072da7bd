import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCatalog } from '../../../api/catalog.ts'
import { methodNameOf } from '../../../api/surfaces/sdk/typescript/names.ts'
import type { NamedOperation } from '../../../tasks/index.ts'
import { type InstalledClients, installClients } from '../../support/clients/install.ts'
import { ROOT } from '../../support/house/files.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { checkExampleAnswer } from '../../support/operations/example-answer.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'
import { areAllToolsTried } from '../../support/stack/tools.ts'

const STORY = fileURLToPath(new URL('stories/examples.py', import.meta.url))

const { operations } = await loadCatalog()

let stack: Stack
let customer: Customer
let clients: InstalledClients
let paths: Record<string, { post: { 'x-svc-available': boolean } }>
beforeAll(async () => {
  stack = await openDefaultStack()
  customer = await stack.customer(100_000_000n)
  await eventually('all tools to be tried', () => areAllToolsTried(customer), 120_000)
  paths = (await stack.anonymous.get('/openapi.json')).body.paths
  clients = await installClients(stack, customer.key)
}, 600_000)
afterAll(() => stack[Symbol.asyncDispose]())

/** An answer as a client gave it, or the code of its error. */
interface Answered {
  answer?: object
  code?: string
}

/** The example with the paths of its sample files, wherever the client must find them. */
function inputOf({ examples }: NamedOperation): Record<string, unknown> {
  const text = JSON.stringify(examples[0]!.input).replaceAll('"sample:', `"${join(ROOT, 'tasks/samples')}/`)
  return JSON.parse(text) as Record<string, unknown>
}

/** What cannot run here is refused before any charge. */
function expectedCode({ path }: NamedOperation): string | undefined {
  return paths[path]!.post['x-svc-available'] ? undefined : 'PROVIDER_NOT_CONFIGURED'
}

async function check(operation: NamedOperation, { answer, code }: Answered): Promise<void> {
  expect(code).toBe(expectedCode(operation))
  if (answer) await checkExampleAnswer(operation, operation.examples[0]!, answer, download)
}

async function download(url: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(url)).arrayBuffer())
}

describe('the first example of every operation by the TypeScript client', () => {
  test.each(operations.map(operation => [operation.name, operation] as const))('%s', async (_, operation) => {
    const { Coinop } = await clients.load()
    const client = new Coinop({ key: customer.key })
    const call = client[operation.family][methodNameOf(operation)] as (input: object) => Promise<object>
    await check(
      operation,
      await call(inputOf(operation)).then(
        answer => ({ answer }),
        (error: { code: string }) => ({ code: error.code }),
      ),
    )
  })
})

test('the first example of every operation by the Python client', async () => {
  const calls = operations.map(operation => ({ name: operation.name, input: inputOf(operation) }))
  const answers = JSON.parse(await clients.python(STORY, JSON.stringify({ key: customer.key, calls }))) as Answered[]
  const codes = operations.map((operation, index) => [operation.name, answers[index]!.code])
  expect(codes).toEqual(operations.map(operation => [operation.name, expectedCode(operation)]))
  for (const [index, operation] of operations.entries()) await check(operation, answers[index]!)
}, 900_000)

test('every call of the catalogue is in both clients', async () => {
  const { calls } = JSON.parse(await readFile(join(clients.folder, 'site/coinop/catalog.json'), 'utf8')) as {
    calls: { name: string }[]
  }
  const { entries } = await loadCatalog()
  const expected = entries.filter(({ auth }) => !auth.includes('session')).map(({ name }) => name)
  expect(calls.map(({ name }) => name)).toEqual(expected)
})

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/machine/eventually.ts'
import { typesetPages } from '../support/pdf/typeset.ts'
import type { Role } from '../support/stack/role.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

let stack: Stack
let worker: Role
let customer: Customer
beforeAll(async () => {
  stack = await startStack({ worker: false })
  worker = await stack.startWorker()
  customer = await stack.customer(10_000_000n)
})
afterAll(() => stack[Symbol.asyncDispose]())

const PAGES = 60
const KILLED_AT = 37

test('a document goes on with the next page after its worker has died', { timeout: 300_000 }, async () => {
  const pages = Array.from({ length: PAGES }, (_, index) => [
    [40, 60, `Page ${index + 1} of the log`] as [number, number, string],
  ])
  const file = { inline: typesetPages(pages).toString('base64') }
  const call = { file, features: ['text'] }
  const { status: quoted, body: answer } = await customer.post('/v1/doc/analyze-async', { ...call, dryRun: true })
  expect([quoted, answer.quote]).toMatchObject([200, { units: PAGES * 3, atMost: `${PAGES * 3_000}` }])
  const { body, status } = await customer.post('/v1/doc/analyze-async', call)
  expect([status, body.status], JSON.stringify(body)).toEqual([202, 'submitted'])
  const folder = join(stack.dataDir, 'objects', 'stage')
  // The local store has the key as the name of the file.
  const isPart = (name: string) => name.includes(`${body.ticket}~part-page-`) && /-\d+$/.test(name)
  const listFiles = () => (existsSync(folder) ? readdirSync(folder, { recursive: true }) : [])
  const listParts = () => listFiles().map(String).filter(isPart)
  const read = async () => (await customer.get(`/v1/jobs/${body.ticket}`)).body
  await eventually('progress', async () => (await read()).progress?.done > 0, 120_000)
  await eventually(`page ${KILLED_AT}`, () => listParts().length >= KILLED_AT - 1, 240_000)
  process.kill(worker.pid, 'SIGKILL')
  const saved = listParts()
  expect(saved.length).toBeGreaterThanOrEqual(KILLED_AT - 1)
  expect(saved.length).toBeLessThan(PAGES)
  // What is saved is what the next worker uses.
  for (const name of saved) {
    const path = join(folder, name)
    writeFileSync(path, readFileSync(path, 'utf8').replace('of the log', 'kept from the first worker'))
  }
  await stack.startWorker()
  await expect.poll(async () => (await read()).status, { timeout: 180_000, interval: 500 }).toBe('succeeded')
  const job = await read()
  expect(job.result.pages.map(({ page, status: state }: { page: number; status: string }) => [page, state])).toEqual(
    Array.from({ length: PAGES }, (_, index) => [index + 1, 'ok']),
  )
  expect(job.result.pages.map(({ text }: { text: string }) => text)).toEqual(
    Array.from({ length: PAGES }, (_, index) =>
      index < saved.length ? `Page ${index + 1} kept from the first worker` : `Page ${index + 1} of the log`,
    ),
  )
  expect(job.actualMicros).toBe(`${PAGES * 3_000}`)
  await eventually('the saved pages are removed', () => listParts().length === 0)
})

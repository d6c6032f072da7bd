import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDefaultStack } from '../../support/stack/default.ts'
import { runCli } from '../../support/stack/run-cli.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

let stack: Stack
let customer: Customer
let other: string
beforeAll(async () => {
  stack = await openDefaultStack()
  customer = await stack.customer()
  other = await stack.addKey(customer.accountId)
  await customer.post('/v1/utils/uuid', {})
  await customer.post('/v1/text/slugify', { text: 'abc' }, { prefer: 'respond-async, wait=0' })
  await customer.post('/v1/utils/uuid', {}, { authorization: `Bearer ${other}` })
})
afterAll(() => stack[Symbol.asyncDispose]())

/** What the jobs are of, newest first. */
async function list(query: string): Promise<string[]> {
  const { status, body } = await customer.get(`/v1/jobs?${query}`)
  expect(status).toBe(200)
  return body.data.map(({ serviceKey }: { serviceKey: string }) => serviceKey)
}

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)

test('jobs are filtered by operation, days and key, and counted after the filter', async () => {
  expect(await list('operation=utils.uuid')).toEqual(['utils.uuid', 'utils.uuid'])
  expect(await list('operation=text.slugify&status=failed')).toEqual([])
  // A test that runs at midnight has jobs of two days.
  expect(await list(`from=${day(-1)}&to=${day(0)}`)).toHaveLength(3)
  expect([await list(`from=${day(1)}`), await list(`to=${day(-2)}`)]).toEqual([[], []])
  expect(await list(`key=${other.slice(0, 12)}`)).toEqual([])
  const { body } = await customer.get('/v1/jobs?operation=utils.uuid&limit=1')
  expect(body.pagination).toEqual({ limit: 1, offset: 0, hasMore: true })
})

test('a row tells how long the job ran and the prefix of its key, by which it is found', async () => {
  const { body } = await customer.get('/v1/jobs')
  const prefixes: string[] = body.data.map(({ keyPrefix }: { keyPrefix: string }) => keyPrefix)
  expect(new Set(prefixes).size).toBe(2)
  expect(other.startsWith(prefixes[0]!)).toBe(true)
  expect(await list(`key=${prefixes[0]}`)).toEqual(['utils.uuid'])
  expect(await list(`key=${prefixes[1]}`)).toEqual(['text.slugify', 'utils.uuid'])
  const ended = body.data.filter(({ finishedAt }: { finishedAt?: string }) => finishedAt)
  for (const { durationMs, startedAt, finishedAt } of ended)
    expect(Math.abs(durationMs - (Date.parse(finishedAt) - Date.parse(startedAt)))).toBeLessThanOrEqual(1)
})

test('another account cannot find them by the key', async () => {
  const neighbour = await stack.customer()
  const [{ keyPrefix }] = (await customer.get('/v1/jobs?limit=1')).body.data
  expect((await neighbour.get(`/v1/jobs?key=${keyPrefix}`)).body.data).toEqual([])
})

test.each(['from=2026-02-30', 'to=yesterday', 'key=a%20b', 'since=2026-01-01'])('%s is refused', async query => {
  const { status, body } = await customer.get(`/v1/jobs?${query}`)
  expect([status, ['INVALID_PARAM', 'UNKNOWN_FIELD'].includes(body.code)]).toEqual([400, true])
})

test('the command line lists the same', async () => {
  const cli = (...args: string[]) =>
    runCli({ DATABASE_URL: stack.databaseUrl, SECRET: 'not needed here, but long enough' }, 'job', 'list', ...args)
  const { stdout } = await cli('--account', customer.accountId, '--operation', 'text.slugify', '--json')
  expect(JSON.parse(stdout)).toMatchObject([{ serviceKey: 'text.slugify', keyPrefix: customer.key.slice(0, 17) }])
  expect((await cli('--from', '2026-02-30')).stderr).toContain('--from must be a day')
})

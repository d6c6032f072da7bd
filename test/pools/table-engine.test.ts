import { afterAll, expect, test } from 'vitest'
import { runJob, testPools } from '../support/pools/open.ts'

const pools = await testPools({ lanes: { thread: 1, native: 2, program: 1, remote: 1 } })
afterAll(() => pools[Symbol.asyncDispose]())

const csv = (text: string) => Buffer.from(text)
const query = (sql: string, options: object = {}) =>
  runJob(pools, 'data.sql', { file: csv('a\n1\n2\n'), sql, ...options })

test.skipIf(pools.sandboxLevel === undefined)('a process that ran what a caller wrote is not used again', async () => {
  const before = pools.stats().native.recycled!
  expect((await query('SELECT sum(a) AS s FROM input')).result).toMatchObject({ preview: [{ s: 3 }] })
  await query('SELECT 1')
  expect(pools.stats().native.recycled).toBe(before + 2)
})

/** Sizes that no check can see, because they are computed. The process has so much memory and no more. */
test.each([
  ["SELECT length(repeat('a', 50000::BIGINT * 60000)) AS n", 'MEMORY_LIMIT_EXCEEDED'],
  ['SELECT len(range(20000 * 20000)) AS n', 'MEMORY_LIMIT_EXCEEDED'],
  ['SELECT count(*) FROM (SELECT unnest(range(30000 * 30000)))', 'MEMORY_LIMIT_EXCEEDED'],
  ['SELECT count(*) AS n FROM range(9000000) a, range(9000000) b WHERE a.range + b.range = 3', 'TIME_LIMIT_EXCEEDED'],
])('ends %s', async (sql, code) => {
  await expect(query(sql, { timeoutMs: 1000 })).rejects.toMatchObject({ code })
  expect((await query('SELECT 1 AS one')).result).toMatchObject({ preview: [{ one: 1 }] })
})

test('sees neither files nor the environment of the service', async () => {
  await expect(query("SELECT * FROM read_text('/proc/self/environ')")).rejects.toMatchObject({ code: 'SQL_FORBIDDEN' })
})

test('reads 30 MB and writes a million rows in bounded memory', async () => {
  const lines = Array.from(
    { length: 1_000_000 },
    (_, index) => `${index},city ${index % 97},${(index % 1000) / 4},${index % 2 === 0}\n`,
  )
  const file = csv(`id,city,price,ok\n${lines.join('')}`)
  const { bytes, result } = await runJob(pools, 'data.filter', { file, where: 'id >= 0' }, { limitSeconds: 60 })
  expect(result).toMatchObject({ rowsIn: 1_000_000, rowsOut: 1_000_000 })
  expect(bytes.length).toBeGreaterThan(20_000_000)
  expect(pools.stats().native.rssBytes).toBeLessThan(2 * 2 ** 30)
})

import { afterAll, expect, test } from 'vitest'
import { runJob, testPools } from '../support/pools/open.ts'

const pools = await testPools({ lanes: { thread: 1, native: 2, program: 1, remote: 1 } })
afterAll(() => pools[Symbol.asyncDispose]())

const csv = (text: string) => Buffer.from(text)
const query = (sql: string, options: object = {}) =>
  runJob(pools, 'data.sql', { file: csv('a\n1\n2\n'), sql, ...options })

test.skipIf(pools.sandboxLevel === undefined)(
  'a process that ran what a caller wrote is kept for its account',
  async () => {
    const file = csv('a\n1\n2\n')
    const recycled = () => pools.stats().native.recycled!
    const ask = async (accountId: string, sql = 'SELECT sum(a) AS s FROM input') => {
      const before = recycled()
      const { result } = await runJob(pools, 'data.sql', { file, sql }, { accountId })
      expect(result).toMatchObject({ preview: [{ s: 3 }] })
      return recycled() - before
    }
    expect([await ask('a'), await ask('a'), await ask('b'), await ask('b')]).toEqual([0, 0, 0, 0])
    expect([await ask('c'), await ask('d'), await ask('e')].some(count => count > 0)).toBe(true)
    await expect(ask('e', 'SELECT FROM')).rejects.toMatchObject({ code: 'SQL_SYNTAX' })
    expect(await ask('e')).toBe(0)
  },
)

const ROWS = Array.from({ length: 130_000 }, (_, index) => `${index},name ${index % 7}\n`).join('')
/** Of a large text only the first lines are read before the database reads it. */
test.each([
  ['007,x\n', [{ id: '007', name: 'x' }]],
  ['"9","x, y"\n', [{ id: 9, name: 'x, y' }]],
  ['9,x\r\n', [{ id: 9, name: 'x' }]],
  [Buffer.from([0x39, 0x2c, 0xe9, 0x0a]), [{ id: 9, name: '\u00e9' }]],
  ['9,\u00e9', [{ id: 9, name: '\u00e9' }]],
  ['9,x\n\n\n', [{ id: 9, name: 'x' }]],
])('reads what comes late in a large text as in a small one: %j', async (line, expected) => {
  const file = Buffer.concat([Buffer.from(`id,name\n${ROWS}`), Buffer.from(line as string)])
  expect(file.length).toBeGreaterThan(2 ** 20)
  const { result } = await runJob(pools, 'data.slice', { file, offset: 130_000, limit: 5 })
  expect(result).toMatchObject({ rowsIn: 130_001, preview: expected })
})

const QUOTED = Array.from({ length: 60_000 }, (_, index) => `${index},"name, ""${index % 7}"""\r\n`).join('')
test.each([
  ['9,""\r\n', [{ id: 9, name: '' }]],
  ['9,"x\r\ny"\r\n', [{ id: 9, name: 'x\r\ny' }]],
  ['9,x\n', [{ id: 9, name: 'x' }]],
  ['"9",', [{ id: 9, name: null }]],
])('reads a large text with quotes and the line ends of Windows that ends with %j', async (line, expected) => {
  const file = csv(`"id","name"\r\n${QUOTED}${line}`)
  const { result } = await runJob(pools, 'data.slice', { file, offset: 59_999, limit: 5 })
  expect(result).toMatchObject({ rowsIn: 60_001, preview: [{ id: 59_999, name: 'name, "2"' }, ...expected] })
})

const NUMBERS = Array.from({ length: 130_000 }, (_, index) => `${index},${index % 7}\n`).join('')
test.each([
  [`id,n\n${NUMBERS}9,""\n`, null],
  [`id,n\n0,""\n${NUMBERS}`, 2],
  [`id,n\n0,""\n${NUMBERS}9,x\n`, 'x'],
])('decides by all cells of a column what an empty cell in quotes is', async (text, last) => {
  const { result } = await runJob(pools, 'data.slice', { file: csv(text), offset: -1, limit: 1 })
  expect(result).toMatchObject({ preview: [{ n: last }] })
  const { result: first } = await runJob(pools, 'data.slice', { file: csv(text), offset: 0, limit: 1 })
  const blank = last === 'x' ? '' : null
  expect(first).toMatchObject({ preview: [{ n: last === null ? 0 : blank }] })
})

test.each([
  ['9\n', 'RAGGED_ROW'],
  ['9,x\0\n', 'UNSUPPORTED_FORMAT'],
  ['9,"x\n', 'CSV_PARSE_FAILED'],
])('refuses what is wrong late in a large text: %j', async (line, code) => {
  const run = runJob(pools, 'data.slice', { file: csv(`id,name\n${ROWS}${line}`), offset: 130_000, limit: 5 })
  await expect(run).rejects.toMatchObject({ code })
})

/** Sizes that no check can see, because each part is small. The process has so much memory and no more. */
test.each([
  ["SELECT length(string_agg(repeat('a', 1000000), '')) AS n FROM range(3000)", 'MEMORY_LIMIT_EXCEEDED'],
  ["SELECT len(list(repeat('a', 1000000) || range)) AS n FROM range(3000)", 'MEMORY_LIMIT_EXCEEDED'],
  ["SELECT length(string_agg(lpad('', 9000000, 'a'), '')) AS n FROM range(300)", 'MEMORY_LIMIT_EXCEEDED'],
  ['SELECT count(*) AS n FROM range(9000000) a, range(9000000) b WHERE a.range + b.range = 3', 'TIME_LIMIT_EXCEEDED'],
])('ends %s', async (sql, code) => {
  const timeoutMs = code === 'TIME_LIMIT_EXCEEDED' ? 1000 : 60_000
  await expect(query(sql, { timeoutMs })).rejects.toMatchObject({ code })
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

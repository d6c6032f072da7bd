import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'
import { computePrice } from '../../support/operations/run.ts'

test('queries as data/sql does', async () => {
  const answer = await runTable('sql-large', {
    file: { text: 'a\n3\n1\n2\n' },
    sql: 'SELECT a FROM input ORDER BY a DESC',
    outFormat: 'csv',
  })
  expect(answer.written).toBe('a\n3\n2\n1\n')
  await expect(runTable('sql-large', { file: { text: 'a\n1\n' }, sql: 'DROP TABLE input' })).rejects.toMatchObject({
    code: 'SQL_FORBIDDEN',
  })
})

test('costs 0.02 USD and 0.002 for each started 10 MiB', async () => {
  expect(await computePrice('data.sql-large', { file: { text: 'a\n1\n' }, sql: 'SELECT 1' })).toBe(22_000n)
})

import { expect, test } from 'vitest'
import { runTable } from '../../../support/data/tables.ts'
import { runOperation } from '../../../support/operations/run.ts'

async function convert(text: string, types: unknown): Promise<unknown> {
  const csv = { decimal: ',', delimiter: ';', header: true }
  const { output } = await runOperation('csv.convert', { file: { text: `a\n${text}\n` }, to: 'json', types, csv })
  return JSON.parse(Buffer.from(output!.bytes!).toString())
}

test.each([
  ['1.234,56', 1234.56],
  ['-1.234.567,8', -1234567.8],
  ['1.234', 1234],
  ['1234,5', 1234.5],
  ['1.5', '1.5'],
  ['1.23,4', '1.23,4'],
  ['0.123', '0.123'],
  ['31.12.2024', '31.12.2024'],
  ['192.168.100.200', '192.168.100.200'],
])('reads %s with a decimal comma', async (text, value) => {
  expect(await convert(text, 'infer')).toEqual([{ a: value }])
  const typed = convert(text, { a: 'number' })
  if (typeof value === 'number') expect(await typed).toEqual([{ a: value }])
  else await expect(typed).rejects.toMatchObject({ code: 'TYPE_MISMATCH' })
})

test.each([
  ['1.234,56', 1234.56, 'DOUBLE'],
  ['-1.234.567,8', -1234567.8, 'DOUBLE'],
  ['1.234', 1234, 'BIGINT'],
  ['1234,5', 1234.5, 'DOUBLE'],
  ['1.234.567.890.123.456.789,5', '1234567890123456789.5', 'DECIMAL(20,1)'],
  ['1.5', '1.5', 'VARCHAR'],
  ['192.168.100.200', '192.168.100.200', 'VARCHAR'],
])('data/* read %s with a decimal comma', async (cell, n, t) => {
  const csv = { decimal: ',', delimiter: ';' }
  const ask = async (given: object) => {
    const file = { text: `n\n${cell}\n`, csv, ...given }
    return (await runTable('sql', { file, sql: 'SELECT n, typeof(n) AS t FROM input' })).preview
  }
  expect(await ask({})).toEqual([{ n, t }])
  const typed = ask({ types: { n: 'number' } })
  if (t === 'VARCHAR') await expect(typed).rejects.toMatchObject({ code: 'TYPE_MISMATCH' })
  else expect(await typed).toMatchObject([{ t: 'DOUBLE' }])
})

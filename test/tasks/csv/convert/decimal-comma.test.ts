import { expect, test } from 'vitest'
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

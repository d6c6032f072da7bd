import { utils, write } from '@e965/xlsx'
import { expect, test } from 'vitest'
import { changeZip } from '../../support/data/change-zip.ts'
import { runOperation } from '../../support/operations/run.ts'

/** A workbook whose only cell is written as given, as by a program that knows longer numbers than Excel. */
function writeWith(cell: string): string {
  const book = utils.book_new(utils.aoa_to_sheet([['id'], [7]]), 'S')
  const bytes = write(book, { bookType: 'xlsx', type: 'array' })
  const change = (xml: string) => xml.replace(/<c r="A2"[^>]*>.*?<\/c>/, cell)
  return changeZip(new Uint8Array(bytes), 'xl/worksheets/sheet1.xml', change).toString('base64')
}

async function read(cell: string, options: object = {}) {
  const file = { inline: writeWith(cell) }
  const { preview, columns } = await runOperation('data.from-xlsx', { file, outFormat: 'json', ...options })
  return { value: (preview as { id: unknown }[])[0]!.id, type: (columns as { type: string }[])[0]!.type }
}

test.each([
  ['<c r="A2"><v>1234567890123456789</v></c>', '1234567890123456789', 'bigint'],
  ['<c r="A2" t="n"><v>-9007199254740993</v></c>', '-9007199254740993', 'integer'],
  ['<c r="A2"><f>B1</f><v>9007199254740993</v></c>', '9007199254740993', 'integer'],
  ['<c r="A2"><v>9007199254740991</v></c>', 9007199254740991, 'integer'],
  ['<c r="A2"><v>1.2345678901234567E+18</v></c>', '1234567890123456800', 'bigint'],
])('reads %s with all its digits', async (cell, value, type) => {
  expect(await read(cell)).toEqual({ value, type })
})

test('shows a long integer as it is shown in the workbook', async () => {
  expect((await read('<c r="A2"><v>1234567890123456789</v></c>', { values: 'formatted' })).value).toBe('1.23457E+18')
})

test('whole numbers beside halves are written as the sheet shows them', async () => {
  const book = utils.book_new(utils.aoa_to_sheet([['n'], [12], [7.5], [-0.0001]]), 'S')
  const file = { inline: Buffer.from(write(book, { bookType: 'xlsx', type: 'array' })).toString('base64') }
  const { output, preview } = await runOperation('data.from-xlsx', { file, outFormat: 'csv' })
  expect(Buffer.from(output!.bytes!).toString()).toBe('n\n12\n7.5\n-0.0001\n')
  expect(preview).toEqual([{ n: 12 }, { n: 7.5 }, { n: -0.0001 }])
})

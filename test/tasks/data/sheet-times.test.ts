import { utils, write } from '@e965/xlsx'
import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const HALF_SECOND_TO_MIDNIGHT = 86_399.5 / 86_400

/** The only cell of a workbook below the name of its column. */
async function read(value: number, format: string, options: object = {}) {
  const book = utils.book_new(utils.aoa_to_sheet([['a'], [{ t: 'n', v: value, z: format }]]), 'S')
  const inline = Buffer.from(write(book, { bookType: 'xlsx', type: 'array' })).toString('base64')
  const { preview } = await runOperation('data.from-xlsx', { file: { inline }, outFormat: 'json', ...options })
  return preview
}

test.each([
  [HALF_SECOND_TO_MIDNIGHT, '23:59:59.500'],
  [1 - 1e-10, '24:00:00'],
  [2 - 1e-10, '48:00:00'],
  [1.0625, '25:30:00'],
])('reads the elapsed time %s', async (value, text) => {
  expect(await read(value, '[h]:mm:ss')).toEqual([{ a: text }])
})

test.each([
  ['h:mm:ss', 0, '23:59:59'],
  ['hh:mm', 0, '23:59'],
  ['h:mm:ss AM/PM', 1, '11:59:59 PM'],
  ['[h]:mm:ss', 0, '24:00:00'],
  ['mm:ss.0', 0, '59:59.5'],
])('shows the last half second of a day by %s as a time of that day', async (format, days, text) => {
  expect(await read(days + HALF_SECOND_TO_MIDNIGHT, format, { values: 'formatted' })).toEqual([{ a: text }])
})

import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const slice = async (options: object) =>
  (await runTable('slice', { file: { text: 'i\n1\n2\n3\n4\n5\n6\n7\n' }, outFormat: 'json', ...options })).preview
    .map(row => row.i)
    .join('')

test.each([
  [{ limit: 3 }, '123'],
  [{ offset: 5, limit: 9 }, '67'],
  [{ offset: -3, limit: 2 }, '56'],
  [{ offset: 1, limit: 2, step: 3 }, '25'],
  [{ from: 2, to: 4 }, '234'],
  [{ from: 3, step: 2 }, '357'],
  [{ to: 2 }, '12'],
  [{ offset: 50, limit: 1 }, ''],
])('takes %j', async (options, expected) => {
  expect(await slice(options)).toBe(expected)
})

test('keeps both kinds of line ends in cells', async () => {
  const rows = [{ shown: 'x\r\ny' }, { shown: 'x\ny' }]
  expect((await runTable('slice', { file: { rows }, offset: 0, limit: 2 })).preview).toEqual(rows)
})

test.each([
  [{}, 'MISSING_FIELD'],
  [{ from: 4, to: 2 }, 'BAD_RANGE'],
  [{ from: 20 }, 'BAD_RANGE'],
  [{ from: 1, limit: 2 }, 'CONFLICTING_OPTIONS'],
])('rejects %j', async (options, code) => {
  await expect(slice(options)).rejects.toMatchObject({ code })
})

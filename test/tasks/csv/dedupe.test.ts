import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const dedupe = async (text: string, options = {}) => {
  const answer = await runOperation('csv.dedupe', { file: { text }, ...options })
  return { ...answer, text: Buffer.from(answer.output!.bytes!).toString() }
}
const PEOPLE = 'id,mail,name\n1,a@x.de,\n2,b@x.de,Bob\n3, A@x.de,Ada\n4,b@x.de,Bob\n'

test.each([
  ['first', '1,a@x.de,\n2,b@x.de,Bob\n'],
  ['last', '3, A@x.de,Ada\n4,b@x.de,Bob\n'],
  ['none', ''],
  ['most-complete', '2,b@x.de,Bob\n3, A@x.de,Ada\n'],
])('keeps %s', async (keep, rows) => {
  const answer = await dedupe(PEOPLE, { keys: ['mail'], caseInsensitive: true, keep })
  expect(answer.text).toBe(`id,mail,name\n${rows}`)
  expect(answer).toMatchObject({ rowsIn: 4, groups: 2 })
})

test('compares all columns, and cells as requested', async () => {
  expect((await dedupe('a,b\n1,2\n1,2\n1,3\n')).text).toBe('a,b\n1,2\n1,3\n')
  expect(await dedupe('a\né\ne\u0301\n')).toMatchObject({ removed: 1 })
  expect(await dedupe('a\né\ne\u0301\n', { normalizeUnicode: false })).toMatchObject({ removed: 0 })
  expect(await dedupe('a,b\nx ,1\nx,1\n', { trim: false })).toMatchObject({ removed: 0 })
  expect(await dedupe('a,b\n1,23\n12,3\n')).toMatchObject({ removed: 0 })
})

test('takes runs of white space for one on request', async () => {
  const people =
    'name,mail\nAnna Smith,anna@x.com\nANNA  SMITH,Anna@X.com \n"Bob\u00a0\nJones",b@x.com\nBob Jones,b@x.com\nBobJones,b@x.com\n'
  expect(await dedupe(people, { caseInsensitive: true })).toMatchObject({ removed: 0 })
  expect(await dedupe(people, { caseInsensitive: true, collapseSpaces: true })).toMatchObject({ removed: 2, groups: 2 })
  const ends = 'a,b\nx ,1\nx  ,1\nx,1\n'
  expect(await dedupe(ends, { trim: false, collapseSpaces: true })).toMatchObject({ removed: 1 })
})

test('returns the removed rows', async () => {
  const { duplicates, text } = (await dedupe('a;b\n1;2\n1;2\n', { reportDuplicates: true })) as {
    duplicates?: { bytes: Buffer }
    text: string
  }
  expect(text).toBe('a;b\n1;2\n')
  expect(duplicates!.bytes.toString()).toBe('a;b\n1;2\n')
})

test('reads JSON, and writes other formats', async () => {
  expect((await dedupe('[{"a":1,"b":{"c":2}},{"a":1,"b":{"c":2}}]')).text).toBe('[\n{"a":1,"b":{"c":2}}\n]\n')
  expect((await dedupe('a\n1\n1\n', { outFormat: 'ndjson' })).text).toBe('{"a":"1"}\n')
})

test('reports which column is missing, and suggests another', async () => {
  await expect(dedupe(PEOPLE, { keys: ['Mail'] })).rejects.toMatchObject({
    code: 'COLUMN_NOT_FOUND',
    hints: { column: 'Mail', available: ['id', 'mail', 'name'], didYouMean: 'mail' },
  })
})

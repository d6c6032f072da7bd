import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TypeGuessFailed } from '../../../pools/tools/duckdb/problems.ts'
import { classifyText, fitsType } from '../../../pools/tools/duckdb/read/cell-types.ts'
import { checkCells } from '../../../pools/tools/duckdb/read/plain-cells.ts'
import { readHead, readPieces } from '../../../pools/tools/duckdb/read/text-pieces.ts'
import { freshFolder } from '../../support/machine/folder.ts'

const CELLS = [
  ...[
    '0',
    '-0',
    '7',
    '007',
    '-7',
    '+7',
    '-',
    '--7',
    '7-',
    ' 7',
    '7 ',
    '1_000',
    '1e5',
    '1E+5',
    '-1.5e-05',
    '+.5',
    '1e400',
    '1e-400',
    '5.e3',
    '1e',
    '+491701234567',
    '-12345678901234567890',
    '1.2345678901234567890',
    '0x1F',
    '12a',
    '1,5'.replace(',', '.'),
  ],
  ...[
    '999999999999999999',
    '9999999999999999999',
    '-999999999999999999',
    '9007199254740993',
    '1.',
    '.5',
    '-.5',
    '-0.0',
    '-0.5',
    '-00.5',
  ],
  ...[
    '0.5',
    '00.5',
    '1.5.5',
    '1.123456789012345678',
    '1.12345678901234567',
    '0.012345678901234567',
    '-0.00000012345678901234567',
    '0.0000000000000000000000001',
    '123456789012345678.000000000000000000000001',
    '123456789012345678.000000000000000000000000',
    '-123456789012345678.000000000000000000000000',
    '1234567890123456789.5',
    'inf',
    'NaN',
    '1e-3',
    '9007199254740992',
    '123456789012345678',
    '123456789012345.67',
    '123456789012345.68',
    '-0.30000000000000004',
    '0.10000000000000001',
    '3.14159265358979323',
  ],
  ...[
    'true',
    'false',
    'TRUE',
    'tru',
    '2026-02-28',
    '2026-02-29',
    '2024-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-04-31',
  ],
  ...[
    '0000-01-01',
    '0001-01-01',
    '2026-1-01',
    '2026-01-01x',
    '2026/01/01',
    '2026-01-01T10:00:00',
    '2026-01-01 25:00:00',
  ],
  ...['2026-01-01T10:00:00Z', '2026-01-01T10:00:00+0100', '2026-01-01T10:00:00.1234567', 'Łódź', ''],
]
const TYPES = ['integer', 'bigint', 'number', 'boolean', 'date', 'datetime', 'timestamptz', 'string']

const FORM = { hasQuotes: false, isCrlf: false }

function check(text: string, types: string[], hasHeader = false, form = FORM): Promise<string> {
  return checkCells({ pieces: [Buffer.from(text)], hasHeader, delimiter: ',', types, form }).then(
    () => 'fits',
    (error: unknown) => (error instanceof TypeGuessFailed ? 'fails' : String(error)),
  )
}

test.each(TYPES)('cells of a column of %s are checked as they are classified', async type => {
  for (const cell of CELLS) {
    const isSame = cell === '' || fitsType(classifyText(cell, false), type)
    for (const text of [`${cell},x\n${cell},y\n`, `1970-01-01 is no row\n${cell},x`]) {
      const expected = isSame ? 'fits' : 'fails'
      const found = [FORM, { hasQuotes: true, isCrlf: true }].map(form =>
        check(form.isCrlf ? text.replaceAll('\n', '\r\n') : text, [type, 'string'], text.startsWith('1970'), form),
      )
      expect(await Promise.all(found), `${type} ${JSON.stringify(text)}`).toEqual([expected, expected])
    }
  }
})

test.each([
  ['a,b\n1,2\n', 'fits'],
  ['a,b\n1,2', 'fits'],
  ['a,b\n1\n', 'fails'],
  ['a,b\n1,2,3\n', 'fails'],
  ['a,b\n1,2\n\n3,4\n', 'fails'],
  ['a,b\n1,2,', 'fails'],
  ['a,b\n', 'fits'],
  ['a,b', 'fits'],
])('lines of %j have two cells each: %s', async (text, expected) => {
  expect(await check(text, ['string', 'string'], true)).toBe(expected)
})

test.each([
  ['"a","b"\n"x ""y"", z",1\n"",2\n', 'fits'],
  ['"a","b"\r\n"x",1\r\n"y",2', 'fits'],
  ['a,b\n"x\ny",1\n', 'fails'],
  ['a,b\r\n"x\ry",1\r\n', 'fails'],
  ['a,b\n"x" ,1\n', 'fails'],
  ['a,b\nx"y",1\n', 'fails'],
  ['a,b\nx,"1"\n', 'fails'],
  ['a,b\n"x,1\n', 'fails'],
  ['a,b\r\nx,1\n', 'fails'],
  ['a,b\r\nx,1\r\r\n', 'fails'],
  ['a,b\r\nx,1\r', 'fails'],
  ['a,b\r\nx\r,1\r\n', 'fails'],
])('quotes and line ends of %j: %s', async (text, expected) => {
  const form = { hasQuotes: true, isCrlf: text.includes('\r\n') }
  expect(await check(text, ['string', 'integer'], true, form)).toBe(expected)
})

test.each(['', 'x\n', 'x,1\ny,2', 'x,1\ny,2\n', `${'long line,7\n'.repeat(70_000)}end,8`])(
  'counts the rows while it checks them',
  async text => {
    const pieces = [Buffer.from(`a,b\n${text.replace('x\n', 'x,\n')}`)]
    const header = { pieces, hasHeader: true, delimiter: ',', form: FORM }
    const rows = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length
    expect(await checkCells({ ...header, types: ['string', 'integer'] })).toBe(rows)
  },
)

test.each([1, 2, 3, 5, 7, 100])('checks a file whose lines are read in pieces of %s bytes', async size => {
  await using folder = await freshFolder()
  const file = join(folder.path, 'lines.csv')
  const texts = ['a,b\nx,1\n', 'a,b\nx,1\nyy,22', 'a,b\nlong text of one cell,1234567\n\u00e9,2\n', 'a,b\n']
  for (const text of texts) {
    await writeFile(file, text)
    const table = { hasHeader: true, delimiter: ',', types: ['string', 'integer'], form: FORM }
    const rows = text.trimEnd().split('\n').length - 1
    expect([await checkCells({ ...table, pieces: readPieces(file, size) }), text]).toEqual([rows, text])
    expect(readHead(file, text.length - 1)).toMatchObject({ isWhole: false })
    for (const [line, width] of [
      ['"x",1\n', 2],
      ['x,1\r\n', 2],
      ['x,1,\n', 2],
      ['\n', 1],
      ['x\0\n', 1],
    ] as const) {
      const types = table.types.slice(0, width)
      await writeFile(file, `${width === 1 ? 'a\nb\nc' : text.trimEnd()}\n${line}`)
      await expect(checkCells({ ...table, types, pieces: readPieces(file, size) })).rejects.toThrow(TypeGuessFailed)
    }
    await writeFile(file, Buffer.concat([Buffer.from('a\nb\n'), Buffer.from([0xe9, 0x0a])]))
    await expect(checkCells({ ...table, types: ['string'], pieces: readPieces(file, size) })).rejects.toThrow(
      TypeGuessFailed,
    )
  }
})

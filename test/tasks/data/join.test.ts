import { expect, test } from 'vitest'
import { querySqlite, runTable, wideTable } from '../../support/data/tables.ts'

const LEFT = 'k,a\n1,x\n2,y\n2,z\n,n\n5,v\n'
const RIGHT = 'k,a,b\n2,p,10\n1,q,20\n9,r,30\n,s,40\n'
const join = (options: object, left = LEFT, right = RIGHT) =>
  runTable('join', { left: { text: left }, right: { text: right }, outFormat: 'json', preview: 50, ...options })

test.each([
  ['inner', 'JOIN'],
  ['left', 'LEFT JOIN'],
  ['right', 'RIGHT JOIN'],
  ['full', 'FULL JOIN'],
])('joins %s as another database does', async (how, sql) => {
  const { preview } = await join({ on: ['k'], how })
  const select = `SELECT coalesce(l.k, r.k) AS k, l.a AS a_l, r.a AS a_r, r.b FROM l ${sql} r ON l.k = r.k ORDER BY l.rowid IS NULL, l.rowid, r.rowid`
  expect(preview).toEqual((await querySqlite({ l: LEFT, r: RIGHT }, [select]))[0])
})

test.each(['inner', 'left'])(
  'looks up rows by keys that come once for %s, in the order of the left table',
  async how => {
    const rows = Array.from(
      { length: 3000 },
      (_, row) => `${(row * 7919) % 3000},${row % 11 === 0 ? '' : row % 13},${row % 2}`,
    )
    const left = `r,l,"#"\n${rows.join('\n')}\n`
    const right = `l,"#","a ""b"" 'c'"\n${Array.from({ length: 22 }, (_, row) => `${row % 11},${row % 2},v${row}`).join('\n')}\n`
    const { written, leftUnmatched, rowsOut } = await join({ on: ['l', '#'], how, outFormat: 'csv' }, left, right)
    const select = `SELECT l.*, r."a ""b"" 'c'" AS v FROM l ${how === 'left' ? 'LEFT' : ''} JOIN r ON l.l = r.l AND l."#" = r."#" ORDER BY l.rowid`
    const expected = (await querySqlite({ l: left, r: right.replace(/^.*/, `l,"#","a """"b"""" 'c'"`) }, [select]))[0]!
    const lines = expected.map(row => Object.values(row).join(','))
    expect(written.split('\n').slice(1, -1)).toEqual(lines)
    expect(rowsOut).toBe(lines.length)
    expect(leftUnmatched).toBe(how === 'left' ? lines.filter(line => line.endsWith(',')).length : 3000 - lines.length)
  },
)

test('finds a whole number in a column with decimals where the other table has texts', async () => {
  const { preview } = await join({ on: ['k'] }, 'k,a\n30,x\n12.5,y\n', 'k,b\n30,p\n12.5,q\nnone,r\n')
  expect(preview).toEqual([
    { k: 30, a: 'x', b: 'p' },
    { k: 12.5, a: 'y', b: 'q' },
  ])
})

test('keeps or drops the rows with a partner, and counts those without', async () => {
  expect((await join({ on: ['k'], how: 'semi' })).preview.map(row => row.a)).toEqual(['x', 'y', 'z'])
  expect((await join({ on: ['k'], how: 'anti' })).preview.map(row => row.a)).toEqual(['n', 'v'])
  expect(await join({ on: ['k'] })).toMatchObject({ leftUnmatched: 2, rightUnmatched: 2, rowsIn: 9 })
  expect(await join({ on: ['k'], nullsMatch: true })).toMatchObject({ rowsOut: 4, leftUnmatched: 1 })
  expect((await join({ how: 'cross' })).rowsOut).toBe(20)
})

test('keeps the order of rows whose columns have the name of their number', async () => {
  const [left, right] = ['RowId,k\nb,1\na,2\nc,1\n', 'k,rowid\n1,z\n1,y\n2,x\n']
  const { preview } = await join({ on: ['k'] }, left, right)
  expect(preview.map(row => Object.values(row).join(' '))).toEqual(['b 1 z', 'b 1 y', 'a 2 x', 'c 1 z', 'c 1 y'])
  const kept = await join({ on: ['k'], how: 'semi' }, left, right)
  expect(kept.preview.map(row => row.RowId)).toEqual(['b', 'a', 'c'])
})

test('joins each row with the last one before it', async () => {
  const answer = await join(
    { on: ['s', 't'], how: 'asof' },
    's,t,q\na,5,1\na,1,2\nb,9,3\n',
    's,t,p\na,2,10\na,4,20\nb,10,30\n',
  )
  expect(answer.preview).toEqual([
    { s_l: 'a', t_l: 5, q: 1, s_r: 'a', t_r: 4, p: 20 },
    { s_l: 'a', t_l: 1, q: 2, s_r: null, t_r: null, p: null },
    { s_l: 'b', t_l: 9, q: 3, s_r: null, t_r: null, p: null },
  ])
})

test('compares keys of different types as text, and warns', async () => {
  const answer = await join({ leftOn: ['k'], rightOn: ['code'] }, 'k\n1\n', 'code\n1\nx\n')
  expect(answer.preview).toEqual([{ k: 1, code: '1' }])
  expect(answer.warnings).toMatchObject([{ code: 'KEY_TYPES' }])
})

const MANY = `k\n${'1\n'.repeat(1500)}`

test.each([
  [{ on: ['k'], validate: '1:1' }, 'JOIN_VALIDATION'],
  [{ on: ['k'], validate: '1:m' }, 'JOIN_VALIDATION'],
  [{}, 'MISSING_FIELD'],
  [{ leftOn: ['k'] }, 'MISSING_FIELD'],
  [{ on: ['k'], how: 'cross' }, 'CONFLICTING_OPTIONS'],
  [{ how: 'cross', validate: '1:1' }, 'CONFLICTING_OPTIONS'],
  [{ on: ['k'], how: 'asof', nullsMatch: true }, 'CONFLICTING_OPTIONS'],
  [{ on: ['q'] }, 'COLUMN_NOT_FOUND'],
  [{ on: ['k'], suffixes: ['', ''] }, 'COLUMN_EXISTS'],
])('rejects %j', async (options, code) => {
  await expect(join(options)).rejects.toMatchObject({ code })
})

test('refuses a join that would explode', async () => {
  await expect(join({ on: ['k'] }, MANY, MANY)).rejects.toMatchObject({
    code: 'JOIN_EXPLOSION',
    hints: { estimatedRows: 2_250_000 },
  })
  await expect(join({ how: 'cross' }, MANY, MANY)).rejects.toMatchObject({ code: 'JOIN_EXPLOSION' })
  expect((await join({ on: ['k'], validate: 'm:1' })).rowsOut).toBe(3)
})

test('joins tables with as many columns as a table may have', async () => {
  const [left, right] = [wideTable(40), wideTable(40).replaceAll(',c', ',d')]
  const { rowsOut, columns } = await join({ on: ['c0'], outFormat: 'csv', preview: 0 }, left, right)
  expect([rowsOut, columns.length]).toEqual([40, 3999])
})

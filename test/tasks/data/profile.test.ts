import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const TEXT = `id,mail,card,n,x\n${Array.from({ length: 20 }, (_, index) => `${index},p${index}@x.de,4111111111111111,${index === 19 ? 1000 : index},${index * 2}`).join('\n')}\n`
const profile = (options: object = {}, text = TEXT) =>
  runTable('profile', { file: { text, name: '<b>.csv' }, ...options })

test('describes numbers and texts', async () => {
  const { columns, written } = await profile({ correlations: true })
  const [id, mail, card, n] = columns as unknown as Record<string, unknown>[]
  expect(id).toMatchObject({ type: 'integer', nulls: 0, distinct: 20, min: 0, max: 19, mean: 9.5 })
  expect(mail).toMatchObject({
    type: 'string',
    semantic: 'email',
    patterns: [
      { pattern: 'a99@a.aa', count: 10 },
      { pattern: 'a9@a.aa', count: 10 },
    ],
  })
  expect(card).toMatchObject({ type: 'integer', top: [{ value: '4111111111111111', count: 20 }] })
  expect(n).toMatchObject({ outliers: 1, quantiles: { '0.5': 9.5 } })
  expect((n!.histogram as { count: number }[]).map(({ count }) => count)).toEqual([19, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  expect(JSON.parse(written)).toMatchObject({
    rows: 20,
    correlations: expect.arrayContaining([{ columns: ['id', 'x'], pearson: expect.closeTo(1, 9) }]),
  })
})

test.each([
  ['DE89 3704 0044 0532 0130 00', 'iban'],
  ['4111-1111-1111-1111', 'credit-card'],
  ['https://x.de/a', 'url'],
  ['192.168.0.1', 'ip'],
  ['6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'uuid'],
  ['+49 30 1234567', 'phone'],
  ['DE', 'country'],
  ['EUR', 'currency'],
])('recognises %s as %s', async (value, semantic) => {
  expect((await profile({}, `a\n${value}\n`)).columns[0]).toMatchObject({ semantic })
})

test('tells columns from its own names', async () => {
  const { columns } = await profile({}, 'value,n,bin,pattern\n1,2,3,x\n1,2,4,y\n')
  expect(columns).toMatchObject([
    { name: 'value', top: [{ value: '1', count: 2 }] },
    { name: 'n', top: [{ value: '2', count: 2 }] },
    { name: 'bin', distinct: 2 },
    { name: 'pattern', top: [{ count: 1 }, { count: 1 }] },
  ])
})

test('blames a Parquet whose pages are damaged, not itself', async () => {
  const { output } = await runTable('slice', { file: { text: 'a\n1\n2\n' }, offset: 0, limit: 2, outFormat: 'parquet' })
  const damaged = Buffer.from(output!.bytes!).fill(0xff, 4, 20)
  await expect(runTable('profile', { file: { inline: damaged.toString('base64') } })).rejects.toMatchObject({
    code: 'PARQUET_PARSE_FAILED',
  })
})

test('writes a report, of a sample if asked', async () => {
  const { written, output, rows } = await profile({ report: 'html', sampleRows: 5, histogramBins: 0, topK: 0 })
  expect(rows).toBe(5)
  expect(output!.contentType).toBe('text/html')
  expect(written).toContain('<h1>&lt;b&gt;.csv</h1>')
  await expect(profile({ columns: ['q'] })).rejects.toMatchObject({ code: 'COLUMN_NOT_FOUND' })
})

const KINDS = ['integer', 'text', 'amount', 'day', 'blank', 'truth', 'mail']
const CELLS = [
  ['1', 'Ada', '1.5', '2024-01-02', '', 'true', 'a@x.de'],
  ['1', 'Bob', '-2.25', '2023-12-31', '', 'false', 'b@x.de'],
  ['90', '', '1e3', '2024-01-02', '', 'true', ''],
  ['7', 'Ada', '', '', '', '', 'c@x.de'],
]

function repeatColumns(times: number): string {
  const header = Array.from({ length: times }, (_, copy) => KINDS.map(kind => `${kind}${copy}`).join())
  const lines = CELLS.map(cells => Array.from({ length: times }, () => cells.join()).join())
  return `${[header.join(), ...lines].join('\n')}\n`
}

test('says of each of two thousand columns what it says of a few', async () => {
  const [few, many] = [await profile({}, repeatColumns(1)), await profile({}, repeatColumns(285))]
  const named = (name: RegExp) => many.columns.filter(column => name.test(column.name))
  expect(many.columns).toHaveLength(1995)
  for (const column of few.columns) {
    const same = named(new RegExp(`^${column.name.slice(0, -1)}\\d+$`))
    expect(same).toHaveLength(285)
    for (const each of same) expect({ ...each, name: column.name }).toEqual(column)
  }
  expect(few.columns).toMatchObject([
    { type: 'integer', min: 1, max: 90, quantiles: { '0.5': 4 }, outliers: 1, top: [{ value: '1', count: 2 }, {}, {}] },
    { type: 'string', nulls: 1, distinct: 2, min: 'Ada', max: 'Bob', patterns: [{ pattern: 'Aaa', count: 3 }] },
    { type: 'number', nulls: 1, min: -2.25, max: 1000 },
    { type: 'date', min: '2023-12-31', max: '2024-01-02' },
    { type: 'unknown', nulls: 4, min: null, max: null, top: [] },
    { type: 'boolean', min: 'false', max: 'true' },
    { type: 'string', semantic: 'email' },
  ])
})

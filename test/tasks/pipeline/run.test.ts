import { describe, expect, test } from 'vitest'
import { querySqlite } from '../../support/data/tables.ts'
import { computePrice, runOperation } from '../../support/operations/run.ts'

const ORDERS = 'id,customer,amount\n1,7,10\n2,8,20\n3,7,5\n4,9,\n5,8,1\n'
const CUSTOMERS = 'id,name\n7,Ada\n8,Bob\n'
const INPUTS = { orders: { text: ORDERS }, customers: { text: CUSTOMERS } }

interface PipelineAnswer {
  preview: object[]
  rowsOut: number
  steps: { id: string; rowsIn: number; rowsOut: number; chargedMicros: string }[]
  files?: { step: string; bytes: Uint8Array }[]
}

const pipeline = (steps: object[], options: object = { inputs: INPUTS }) =>
  runOperation('pipeline.run', { steps, outFormat: 'json', ...options }) as unknown as Promise<PipelineAnswer>

const STEPS = [
  { op: 'data/dropna', params: { columns: ['amount'] } },
  { op: 'data/filter', params: { where: 'amount > 1' } },
  { op: 'data/derive', params: { columns: [{ name: 'taxed', expr: 'amount * 2' }] } },
  { op: 'data/join', with: ['customers'], params: { leftOn: ['customer'], rightOn: ['id'] } },
  { op: 'data/groupby', params: { by: ['name'], aggs: [{ column: 'taxed', fn: 'sum', as: 'total' }] } },
]

test('gives what one statement of another database gives', async () => {
  const answer = await pipeline(STEPS)
  const sql =
    'SELECT c.name, sum(o.amount * 2) AS total FROM orders o JOIN customers c ON c.id = o.customer WHERE o.amount > 1 GROUP BY c.name ORDER BY 1'
  expect(answer.preview).toEqual((await querySqlite({ orders: ORDERS, customers: CUSTOMERS }, [sql]))[0])
  expect(answer.steps.map(({ rowsIn, rowsOut }) => [rowsIn, rowsOut])).toEqual([
    [5, 4],
    [4, 3],
    [3, 3],
    [5, 3],
    [3, 2],
  ])
})

const many = { text: `n,k,t\n${Array.from({ length: 2000 }, (_, row) => `${row},${row % 3},x`).join('\n')}\n` }
const keep = (where: string) => ({ op: 'data/filter', params: { where } })
const grouped = (fn: string, by = ['k']) => ({
  op: 'data/groupby',
  params: { by, aggs: [{ column: 'n', fn, as: 's' }] },
})
const added = { op: 'data/derive', params: { columns: [{ name: 'd', expr: 'n / 2' }] } }
const renamed = { op: 'data/rename', params: { map: { n: 'm' } } }
const sorted = { op: 'data/sort', params: { by: [{ column: 'n', dir: 'desc', nulls: 'last' }] } }

/** A text is read once where that is possible, and each step tells its rows all the same. */
test.each([
  ['groups', [keep('n >= 1000'), added, keep('k > 0'), keep('d < 900'), grouped('sum')], [1000, 1000, 667, 534, 2]],
  ['no groups', [keep('n >= 1000'), keep('n < 1000'), grouped('sum')], [1000, 0, 0]],
  ['one group', [keep('n >= 1000'), keep('n < 1000'), grouped('sum', [])], [1000, 0, 1]],
  ['groups in order', [keep('n >= 1000'), keep('k > 0'), grouped('first')], [1000, 667, 2]],
  [
    'sorted rows',
    [keep('n >= 1000'), renamed, keep('k > 0'), { ...sorted, params: { by: [{ column: 'm' }] } }],
    [1000, 1000, 667, 667],
  ],
  ['filters alone', [keep('n >= 1000'), added, keep('k > 0')], [1000, 1000, 667]],
  ['a slice', [keep('n >= 1000'), { op: 'data/slice', params: { limit: 7 } }], [1000, 7]],
  [
    'a window',
    [
      keep('n >= 1000'),
      { op: 'data/derive', params: { columns: [{ name: 'w', window: { fn: 'rank', orderBy: [{ column: 'n' }] } }] } },
    ],
    [1000, 1000],
  ],
])('counts the rows of each step that leads to %s', async (_, steps, expected) => {
  for (const outFormat of ['csv', 'json']) {
    const answer = await pipeline(steps, { file: many, outFormat })
    expect(answer.steps.map(({ rowsOut }) => rowsOut)).toEqual(expected)
    expect(answer.steps.map(({ rowsIn }) => rowsIn)).toEqual([2000, ...expected.slice(0, -1)])
    expect(answer.rowsOut).toBe(expected.at(-1))
  }
})

test.each([[[]], [[keep('k > 0'), grouped('sum')]], [[sorted]], [[renamed]]])(
  'names the step that fails, whatever reads it: %j',
  async after => {
    const failing = { id: 'bad', op: 'data/derive', params: { columns: [{ name: 'b', expr: 't::INTEGER' }] } }
    const running = pipeline([keep('n > 5'), failing, ...after], { file: many, outFormat: 'csv' })
    if (after.length === 2) return expect((await running).rowsOut).toBe(2)
    await expect(running).rejects.toMatchObject({ code: 'EXPRESSION_INVALID', hints: { step: 'bad', stepIndex: 1 } })
  },
)

test('names steps, reads any earlier one, and returns several', async () => {
  const answer = await pipeline(
    [
      { op: 'data/filter', id: 'large', input: 'orders', params: { where: 'amount >= 10' } },
      { op: 'data/filter', id: 'small', input: 'orders', params: { where: 'amount < 10' } },
      { op: 'data/union', id: 'both', input: 'large', with: ['small'] },
      {
        op: 'data/sql',
        id: 'counts',
        params: { sql: 'SELECT (SELECT count(*) FROM large) AS l, (SELECT count(*) FROM input) AS b' },
      },
    ],
    { inputs: INPUTS, outputs: ['both', 'counts'] },
  )
  expect(answer.preview).toEqual([{ l: 2, b: 4 }])
  expect(answer.files!.map(({ step }) => step)).toEqual(['both', 'counts'])
  expect(JSON.parse(Buffer.from(answer.files![0]!.bytes).toString())).toHaveLength(4)
})

test('costs the sum of its steps', async () => {
  expect(await computePrice('pipeline.run', { steps: STEPS, inputs: INPUTS })).toBe(5000n)
  expect((await pipeline(STEPS)).steps.map(({ chargedMicros }) => chargedMicros)).toEqual(Array(5).fill('1000'))
  expect(
    await computePrice('pipeline.run', { steps: [{ op: 'data/sql', params: { sql: 'SELECT 1' } }], inputs: INPUTS }),
  ).toBe(2000n)
})

test.each([
  [[{ op: 'data/filter', input: 'nope', params: { where: 'true' } }], 'PIPELINE_INVALID'],
  [[{ op: 'data/sort', id: 'orders', params: { by: [{ column: 'id' }] } }], 'PIPELINE_INVALID'],
  [[{ op: 'data/join', params: { on: ['id'] } }], 'PIPELINE_INVALID'],
  [[{ op: 'data/filter', with: ['customers'], params: { where: 'true' } }], 'PIPELINE_INVALID'],
  [[{ op: 'data/slice', params: { limit: 1 }, expectColumns: ['nope'] }], 'SCHEMA_MISMATCH'],
])('rejects %j', async (steps, code) => {
  await expect(pipeline(steps)).rejects.toMatchObject({ code })
})

test('an error names its step', async () => {
  await expect(
    pipeline([STEPS[0]!, { op: 'data/sort', id: 'sorted', params: { by: [{ column: 'nope' }] } }]),
  ).rejects.toMatchObject({
    code: 'COLUMN_NOT_FOUND',
    hints: { step: 'sorted', stepIndex: 1 },
  })
  await expect(pipeline(STEPS, {})).rejects.toMatchObject({ code: 'MISSING_FIELD' })
})

describe('a statement hands on', () => {
  const file = { text: `a\n${Array.from({ length: 15_000 }, (_, row) => row).join('\n')}\n` }
  const count = { op: 'data/groupby', params: { by: [], aggs: [{ fn: 'count', as: 'n' }] } }
  const select = (params: object) => [{ op: 'data/sql', params: { sql: 'select * from input', ...params } }, count]

  test('all rows', async () => {
    const answer = await pipeline(select({}), { file })
    expect(answer.preview).toEqual([{ n: 15_000 }])
    expect(answer).not.toHaveProperty('warnings')
  })

  test('as many as the call asks for, and says so', async () => {
    const answer = await pipeline(select({ maxRows: 9 }), { file })
    expect(answer.preview).toEqual([{ n: 9 }])
    expect(answer).toMatchObject({ warnings: [{ code: 'TRUNCATED', message: expect.stringContaining('step1') }] })
  })
})

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writePrice } from '../../../sql/setting.ts'
import { listWorkers } from '../../../sql/worker.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { listDescendants } from '../../support/machine/processes.ts'
import { longCallBody } from '../../support/stack/long-job.ts'
import { type Customer, type Stack, startStack } from '../../support/stack/start.ts'

const PATH = '/v1/pipeline'
const sample = (name: string) => ({ inline: readFileSync(`tasks/samples/${name}`).toString('base64') })
const PHOTO = sample('gradient.png')
const TABLE = { text: 'city,amount\nRome,10\nOslo,\nRome,7\n' }
const SUMS = { by: ['city'], aggs: [{ column: 'amount', fn: 'sum', as: 'total' }] }
const TABLE_STEPS = [
  { op: 'data/dropna' },
  { op: 'data/filter', params: { where: 'amount > 5' } },
  { op: 'data/groupby', id: 'sums', params: SUMS },
]
const PDF_STEPS = [
  { op: 'image/resize', params: { width: 20 } },
  { op: 'image/convert', id: 'small', params: { to: 'jpeg' } },
  { op: 'pdf/from-images', params: { files: [{ step: 0 }, { step: 'small' }] } },
]

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

/** A call that must fail, and what it was charged. */
async function refuse(body: object): Promise<Record<string, unknown>> {
  const customer = await stack.customer(3_000_000n)
  const answer = await customer.post(PATH, body)
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(await customer.money()).toEqual({ balance: 3_000_000n, held: 0n })
  return answer.body
}

/** The parts of the charge, as the answer and as the ledger tell them. */
async function readCharges(customer: Customer, { headers, body }: Awaited<ReturnType<Customer['post']>>) {
  const [line] = (await customer.get('/v1/account/ledger')).body.data
  const parts = body.steps.map((step: { chargedMicros: string }) => step.chargedMicros)
  expect(line.steps.map((step: { amountMicros: string }) => step.amountMicros)).toEqual(parts)
  expect(parts.reduce((sum: number, part: string) => sum + Number(part), 0)).toBe(
    Number(headers.get('x-service-charged-micros')),
  )
  return parts
}

test('no step on a file starts once those before cost as much as one call can', async () => {
  await writePrice(stack.db, 'pdf.rotate', { rateMicros: 600_000n })
  try {
    const rotate = { op: 'pdf/rotate', params: { degrees: '90' } }
    await eventually('the new price', async () => {
      const { body } = await (await stack.customer()).post('/v1/pdf/rotate', {
        ...{ file: sample('two-pages.pdf'), degrees: '90', dryRun: true },
      })
      return body.quote.rateMicros === '600000'
    })
    expect(await refuse({ file: sample('two-pages.pdf'), steps: [rotate, rotate] })).toMatchObject({
      code: 'COST_LIMIT_EXCEEDED',
      maxMicros: 1_000_000,
      stepIndex: 1,
    })
  } finally {
    await writePrice(stack.db, 'pdf.rotate', null)
  }
})

test('a dry run tells the columns and the price of each step, which the run then has and costs', async () => {
  const customer = await stack.customer()
  const dry = (await customer.post(PATH, { file: TABLE, steps: TABLE_STEPS, dryRun: true })).body
  const run = await customer.post(PATH, { file: TABLE, steps: TABLE_STEPS })
  expect(dry.steps.at(-1).columns).toEqual(run.body.columns)
  expect(dry.steps[0].columns).toEqual([
    { name: 'city', type: 'string' },
    { name: 'amount', type: 'integer' },
  ])
  expect(dry.quote.amountMicros).toBe(run.headers.get('x-service-charged-micros'))
  expect(dry.steps.map(({ amountMicros }: { amountMicros: string }) => amountMicros)).toEqual(
    await readCharges(customer, run),
  )
  expect((await customer.money()).balance).toBe(997_000n)
})

test('a dry run leaves out the columns that only rows tell, and finds what any run would refuse', async () => {
  const customer = await stack.customer()
  const pivot = { op: 'data/pivot', id: 'wide', params: { index: ['amount'], columns: 'city', agg: 'count' } }
  const steps = [
    pivot,
    { op: 'data/slice', params: { limit: 1 } },
    { op: 'data/sort', input: 'input', params: { by: [{ column: 'city' }] } },
  ]
  const { body } = await customer.post(PATH, { file: TABLE, steps, dryRun: true })
  const known = body.steps.map(({ columns }: { columns: object | null }) => columns !== null)
  expect(known).toEqual([false, false, true])
  const sort = { op: 'data/sort', params: { by: [{ column: 'nope' }] } }
  const wrong = await refuse({ file: TABLE, steps: [TABLE_STEPS[0], sort], dryRun: true })
  expect(wrong).toMatchObject({ code: 'COLUMN_NOT_FOUND', stepIndex: 1, op: 'data/sort' })
})

test('a changed rate changes what the answer and the ledger say of each step', async () => {
  const customer = await stack.customer()
  await writePrice(stack.db, 'pipeline.run', { rateMicros: 2500n })
  await writePrice(stack.db, 'image.resize', { rateMicros: 1500n })
  try {
    await eventually('the new prices', async () => {
      const { body } = await customer.post(PATH, { file: TABLE, steps: TABLE_STEPS, dryRun: true })
      return body.quote.rateMicros === '2500'
    })
    const tables = await customer.post(PATH, { file: TABLE, steps: TABLE_STEPS })
    expect(await readCharges(customer, tables)).toEqual(['2500', '2500', '2500'])
    const files = await customer.post(PATH, { file: PHOTO, steps: PDF_STEPS.slice(0, 2) })
    expect(await readCharges(customer, files)).toEqual(['1500', '1000'])
  } finally {
    await writePrice(stack.db, 'pipeline.run', null)
    await writePrice(stack.db, 'image.resize', null)
  }
})

test('steps on files work on what earlier ones made; the most is held and what it came to is charged', async () => {
  const customer = await stack.customer()
  const dry = (await customer.post(PATH, { file: PHOTO, steps: PDF_STEPS, dryRun: true })).body
  expect(dry.steps.map(({ columns }: { columns: null }) => columns)).toEqual([null, null, null])
  const run = await customer.post(PATH, { file: PHOTO, steps: PDF_STEPS, outputs: ['small', 'step3'] })
  expect(await readCharges(customer, run)).toEqual(['1000', '1000', '2000'])
  expect(Number(dry.quote.atMost)).toBeGreaterThan(4000)
  expect(run.body.files.map(({ step, contentType }: Record<string, string>) => [step, contentType])).toEqual([
    ['small', 'image/jpeg'],
    ['step3', 'application/pdf'],
  ])
  const made = run.body.files[1].outputKey
  const { body } = await customer.post('/v1/pdf/metadata', { file: { inputKey: made } })
  expect(body.pageCount).toBe(2)
  expect(await customer.money()).toEqual({ balance: 995_000n, held: 0n })
})

test('tables and files take turns, a list takes all files of a step, and an input may come at any step', async () => {
  const customer = await stack.customer(2_000_000n)
  const answer = await customer.post(PATH, {
    inputs: { sales: TABLE, leaflet: sample('two-pages.pdf') },
    steps: [
      { op: 'data/dropna', id: 'clean' },
      { op: 'pdf/split', input: 'leaflet', params: { burst: true } },
      { op: 'pdf/merge', params: { files: [{ step: 1 }, { step: 'step2', index: 0 }] } },
      { op: 'data/sql', input: 'clean', params: { sql: 'SELECT sum(amount) AS total FROM input' } },
      { op: 'pdf/metadata', input: 'step3' },
    ],
    outputs: ['step4', 'step5'],
    outFormat: 'json',
  })
  expect(answer.body.steps.map(({ files, rowsOut }: Record<string, number>) => files ?? rowsOut)).toEqual([
    2, 2, 1, 1, 0,
  ])
  expect(answer.body.steps[4].result.pageCount).toBe(3)
  expect(answer.body.files.map(({ step }: { step: string }) => step)).toEqual(['step4'])
  const { text } = await customer.get(
    new URL(answer.body.files[0].outputUrl).pathname + new URL(answer.body.files[0].outputUrl).search,
  )
  expect(JSON.parse(text)).toEqual([{ total: 17 }])
  await readCharges(customer, answer)
})

test('a password opens what an earlier step has encrypted; a saved pipeline takes it as a parameter only', async () => {
  const customer = await stack.customer(2_000_000n)
  const steps = (password: unknown) => [
    { op: 'pdf/encrypt', params: { userPassword: password, ownerPassword: 'of the owner 1' } },
    { op: 'pdf/metadata', params: { password } },
  ]
  const file = sample('two-pages.pdf')
  const { body } = await customer.post(PATH, { file, steps: steps('of the reader 1') })
  expect(body.steps?.[1].result).toMatchObject({ pageCount: 2, encrypted: true })
  const wrong = [steps('of the reader 1')[0]!, steps('another')[1]!]
  expect(await refuse({ file, steps: wrong })).toMatchObject({ code: 'PDF_PASSWORD_INCORRECT', stepIndex: 1 })
  const save = (definition: object) => customer.request('/v1/pipelines/secret', { method: 'PUT', body: definition })
  expect((await save({ steps: steps('of the reader 1') })).body).toMatchObject({
    code: 'PIPELINE_INVALID',
    stepIndex: 0,
  })
  const [, open] = steps({ param: 'password' })
  expect((await save({ params: { password: { type: 'string' } }, steps: [open] })).status).toBe(201)
})

const RESIZE = { op: 'image/resize', params: { width: 20 } }
test.each([
  [
    'of another type',
    [RESIZE, { op: 'pdf/metadata', id: 'facts' }],
    'PDF_PARSE_FAILED',
    { step: 'facts', stepIndex: 1, op: 'pdf/metadata' },
  ],
  [
    'no table',
    [RESIZE, { op: 'data/slice', params: { limit: 1 } }],
    'STEP_TYPE_MISMATCH',
    { expected: 'table', got: 'image/png', stepIndex: 1 },
  ],
  [
    'that the step before does not make',
    [{ op: 'image/metadata' }, RESIZE],
    'STEP_TYPE_MISMATCH',
    { got: '0 files', stepIndex: 1, reason: 'The answer of the step before has no file.' },
  ],
  [
    'of a later step',
    [
      { ...RESIZE, params: { width: 2, file: { step: 'b' } } },
      { ...RESIZE, id: 'b' },
    ],
    'PIPELINE_INVALID',
    { stepIndex: 0, name: 'b' },
  ],
  [
    'not there',
    [RESIZE, { ...RESIZE, params: { width: 2, file: { step: 0, index: 1 } } }],
    'BAD_RANGE',
    { stepIndex: 1, max: 0 },
  ],
  [
    'given twice',
    [{ ...RESIZE, input: 'input', params: { width: 2, file: { step: 'input' } } }],
    'CONFLICTING_OPTIONS',
    { stepIndex: 0 },
  ],
  [
    'with an option of its operation misspelt',
    [{ op: 'image/resize', params: { widht: 2 } }],
    'UNKNOWN_FIELD',
    { field: 'steps.0.params.widht' },
  ],
  [
    'with an option of a call',
    [{ op: 'image/resize', params: { width: 2, async: true } }],
    'UNKNOWN_FIELD',
    { field: 'steps.0.params.async' },
  ],
  [
    'with a wrong position',
    [{ op: 'image/resize', params: { width: 2, file: { step: -1 } } }],
    'INVALID_PARAM',
    { field: 'steps.0.params.file.step' },
  ],
  ['more than fifty times', Array(51).fill({ op: 'image/exif-strip' }), 'INVALID_PARAM', { field: 'steps' }],
] as const)('a file %s is refused for free, with its step', async (_name, steps, code, hints) => {
  expect(await refuse({ file: PHOTO, steps })).toMatchObject({ code, ...hints })
})

test('fifty steps run', async () => {
  const customer = await stack.customer()
  const { status, body } = await customer.post(PATH, {
    file: TABLE,
    steps: Array(50).fill({ op: 'data/slice', params: { limit: 2 } }),
  })
  expect([status, body.rowsOut, body.steps.length]).toEqual([200, 2, 50])
})

test('no more is held than the limit that a caller sets, and a step beyond it fails for free', async () => {
  const steps = [
    { op: 'pdf/rotate', params: { degrees: '90' } },
    { op: 'pdf/merge', params: { files: [{ step: 0 }, { step: 'input' }] } },
  ]
  const file = sample('two-pages.pdf')
  expect(await refuse({ file, steps, maxMicros: 5000 })).toMatchObject({
    code: 'COST_LIMIT_EXCEEDED',
    neededMicros: '6000',
    stepIndex: 1,
  })
  const customer = await stack.customer(6_000n)
  const { body } = await customer.post(PATH, { file, steps, maxMicros: 6000, dryRun: true })
  expect(body.quote.atMost).toBe('6000')
  expect((await customer.post(PATH, { file, steps, maxMicros: 6000 })).status).toBe(200)
  expect(await customer.money()).toEqual({ balance: 0n, held: 0n })
})

test('an engine that is killed in the middle of a step is replaced, and the call is charged once', async () => {
  const { file, ...enlarge } = longCallBody(1_500)
  const body = { file, steps: [RESIZE, { op: 'image/resize', input: 'input', params: enlarge }] }
  const customer = await stack.customer()
  const { ticket } = (await customer.post(PATH, { ...body, async: true })).body
  await customer.waitForStart(ticket)
  const pid = (await listWorkers(stack.db))[0]!.pid
  const engine = await eventually('a running engine', () => {
    const engines = listDescendants(pid).filter(({ command }) => / \S*native\/entry\.ts sharp $/.test(command))
    return engines.find(({ command, state }) => !command.startsWith('bwrap') && state === 'R')
  })
  process.kill(engine.pid, 'SIGKILL')
  const job = await customer.waitForEnd(ticket, 120_000)
  expect(job.status).toBe('succeeded')
  expect(await customer.money()).toEqual({ balance: 1_000_000n - BigInt(job.actualMicros!), held: 0n })

  const before = (await customer.money()).balance
  const other = (await customer.post(PATH, { ...body, async: true })).body.ticket
  await customer.waitForStart(other)
  await customer.delete(`/v1/jobs/${other}`)
  await customer.waitForEnd(other)
  expect(await customer.money()).toEqual({ balance: before, held: 0n })
})

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type JobPayload, type Outcome, Problem, type RunContext, type StepOutcome, type StepRun } from '#kit'
import { rows } from '../../../sql/db.ts'
import type { DocumentCall } from '../../../tasks/products/retrieval/document/fields.ts'
import { type ReadParts, readParts } from '../../../tasks/products/retrieval/document/read.ts'
import type { WorkerContext } from '../../../workers/context.ts'
import { ingestDocument } from '../../../workers/products/retrieval/document.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

const run = promisify(execFile)

let stack: Stack
let customer: Customer
beforeAll(async () => {
  stack = await openDefaultStack()
})
afterAll(() => stack[Symbol.asyncDispose]())
beforeEach(async () => {
  customer = await stack.customer(50_000_000n)
})

async function ingest(body: object) {
  const before = (await customer.money()).balance
  const sent = await customer.post('/v1/bundles/ingest-document', body, { prefer: 'wait=60' })
  const job = sent.status === 202 ? await customer.waitForEnd(sent.body.ticket as string, 120_000) : undefined
  const { balance, held } = await customer.money()
  expect(held).toBe(0n)
  return { status: sent.status, body: job ? (job.result ?? job.error) : sent.body, charged: Number(before - balance) }
}

const sample = async (name: string) => ({ inline: (await readFile(`tasks/samples/${name}`)).toString('base64') })

/** The names of what the customer has. */
async function listBatons(): Promise<(string | null)[]> {
  const found = await rows<{ name: string | null }>(stack.db, 'select name from svc.baton where account_id = $1', [
    customer.accountId,
  ])
  return found.map(({ name }) => name)
}

/** The content of a baton, as a file. */
async function read(folder: string, name: string, baton: string): Promise<string> {
  const answer = await fetch(`${stack.url}/v1/baton/${baton}`, { headers: { authorization: `Bearer ${customer.key}` } })
  expect(answer.status).toBe(200)
  const path = join(folder, name)
  await writeFile(path, Buffer.from(await answer.arrayBuffer()))
  return path
}

test('a document is stored searchable, with its tables as a workbook and its text to be asked', async () => {
  await using folder = await freshFolder()
  const file = await sample('price-list.pdf')
  const { body: dry } = await customer.post('/v1/bundles/ingest-document', { file, index: true, dryRun: true })
  const { body, charged } = await ingest({ file, index: true, name: 'Prices' })
  expect(body).toMatchObject({ pdf: { ocrPages: 0 }, vectors: { model: 'svc-hash-384@1' } })
  expect([charged, Number(body.chargedMicros)]).toEqual([charged, charged])
  expect(charged).toBeLessThanOrEqual(Number(dry.quote.amountMicros))
  expect(body.steps.map(({ name }: { name: string }) => name)).toEqual(['ocr', 'tables', 'text', 'index', 'store'])
  const sum = body.steps.reduce((all: number, step: { chargedMicros: string }) => all + Number(step.chargedMicros), 0)
  expect(sum).toBe(charged)

  const pdf = await read(folder.path, 'stored.pdf', body.pdf.batonId)
  const { stdout: text } = await run('pdftotext', ['-layout', pdf, '-'])
  const workbook = await read(folder.path, 'tables.xlsx', body.tables.batonId)
  const { stdout: sheet } = await run('unzip', ['-p', workbook, 'xl/worksheets/sheet1.xml'])
  const words = text.match(/[A-Za-z]{5,}/g) ?? []
  expect(body.tables.sheets[0]).toMatchObject({ name: 'Table 1', page: 1 })
  expect(words.filter(word => sheet.includes(word)).length).toBeGreaterThan(3)
  const [word] = words.filter(one => sheet.includes(one))
  const found = await customer.post('/v1/bundles/rag-query', { batonId: body.vectors.batonId, question: word! })
  expect(found.body.matches[0]).toMatchObject({ metadata: { docId: body.vectors.docId, page: 1 } })
  expect(await listBatons()).toEqual(['Prices', 'Prices', 'Prices'])
})

test('a scan is recognised, and without tables there is no baton for them and no charge', async () => {
  const { body } = await ingest({ file: await sample('scan.pdf'), index: true })
  expect(body).toMatchObject({ pdf: { pages: 1, ocrPages: 1 }, tables: { batonId: null, tables: 0, sheets: [] } })
  expect(await listBatons()).toHaveLength(2)
  expect(body.vectors.chunks).toBeGreaterThan(0)
  expect(body.steps[1]).toMatchObject({ name: 'tables', status: 'succeeded', chargedMicros: '0' })
  const plain = await ingest({ file: await sample('letter.pdf'), ocr: 'off', tables: false })
  expect(plain.body.steps.map(({ name }: { name: string }) => name)).toEqual(['store'])
  expect(plain.body).not.toHaveProperty('tables')
})

test('nothing is stored or charged of a document that cannot be', async () => {
  for (const [body, code] of [
    [
      { file: await sample('letter.pdf'), batons: { pdf: { tier: 'femto' } }, index: true, ocr: 'force' },
      'QUOTA_EXHAUSTED',
    ],
    [{ file: { text: 'No document' } }, 'PDF_PARSE_FAILED'],
    [{ file: await sample('letter.pdf'), batons: { pdf: { tier: 'giant' } } }, 'INVALID_PARAM'],
    [{ file: await sample('letter.pdf'), languages: ['xxx'] }, 'LANGUAGE_UNSUPPORTED'],
  ] as const) {
    const answer = await ingest(body)
    expect([answer.body.code, answer.charged]).toEqual([code, 0])
  }
  expect(await listBatons()).toEqual([])
})

test('with keepPartial the files of a document are kept although its text is more than its baton takes', async () => {
  const words = Array.from(
    { length: 500 },
    (_, at) => `<p>Clause ${at} of the agreement binds both of its parties.</p>`,
  )
  const made = await customer.post('/v1/pdf/from-html', { html: words.join('') }, { prefer: 'wait=60' })
  const file = { inline: made.body.output.inline as string }
  const asked = { file, tables: false, ocr: 'off', index: true, batons: { vectors: { tier: 'femto' } } }
  const whole = await ingest(asked)
  expect([whole.body.code, whole.charged, await listBatons()]).toEqual(['QUOTA_EXHAUSTED', 0, []])
  const { body, charged } = await ingest({ ...asked, keepPartial: true })
  expect(body).toMatchObject({ vectors: { batonId: null, chunks: 0, docId: null } })
  expect(body.steps.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`)).toEqual([
    'text succeeded',
    'index failed',
    'store succeeded',
  ])
  const [, failed] = body.steps
  expect(failed).toMatchObject({ chargedMicros: '0', error: { code: 'QUOTA_EXHAUSTED' } })
  const sum = body.steps.reduce((all: number, step: { chargedMicros: string }) => all + Number(step.chargedMicros), 0)
  expect([Number(body.chargedMicros), sum]).toEqual([charged, charged])
  expect(await listBatons()).toHaveLength(1)
})

/** Ends the reading of a document whose tables are 101 bytes, for a baton that takes so many. */
async function endWithTables(folder: string, sizeBytes: string, keepPartial: boolean) {
  const path = join(folder, 'letter.pdf')
  await writeFile(path, await readFile('tasks/samples/letter.pdf'))
  const read: ReadParts = {
    pdf: { path, pages: 2, ocrPages: 0 },
    workbook: new Uint8Array(101),
    sheets: [{ name: 'Table 1', page: 1, rows: 1, cols: 1 }],
    steps: [
      { name: 'ocr', chargeMicros: 2_000n, ms: 1 },
      { name: 'tables', chargeMicros: 3_000n, ms: 1 },
    ],
  }
  const baton = (id: string, size: string) => ({
    ...{ spec: { id, sizeBytes: size }, durationSeconds: '60', chargeMicros: '100' },
  })
  const payload = {
    ...{ accountId: customer.accountId, input: { tables: true, keepPartial } },
    delivery: { plan: { pdf: baton('the pdf', '100000'), tables: baton('the tables', sizeBytes) } },
  }
  const tariff = { unit: 'document', rateMicros: 0n, baseMicros: 0n, units: 1, expectedUnits: 1 }
  const outcome = { result: read, units: 1, baseMicros: 5_000n } as Outcome<unknown>
  const ended = await ingestDocument.prepare({} as WorkerContext, payload as JobPayload, outcome, tariff)
  const { batons } = ended.terms as { batons: { spec: { id: string } }[] }
  return { ...JSON.parse(ended.result), charged: ended.chargeMicros, stored: batons.map(({ spec }) => spec.id) }
}

test('with keepPartial the files of a document are kept although its tables are more than their baton takes', async () => {
  await using folder = await freshFolder()
  const fits = await endWithTables(folder.path, '101', true)
  expect(fits).toMatchObject({ tables: { batonId: 'the tables' }, charged: 5_200n, stored: ['the pdf', 'the tables'] })
  const { steps, ...ended } = await endWithTables(folder.path, '100', true)
  expect(ended).toMatchObject({
    tables: { batonId: null, tables: 0, sheets: [] },
    charged: 2_100n,
    stored: ['the pdf'],
  })
  const error = { code: 'QUOTA_EXHAUSTED', quota: 'size', leftBytes: '100', sizeBytes: 101 }
  expect(steps).toMatchObject([
    { name: 'ocr', chargedMicros: '2000' },
    { name: 'tables', status: 'failed', chargedMicros: '0', error },
    { name: 'store', chargedMicros: '100' },
  ])
  const refused = await endWithTables(folder.path, '100', false)
  // The database refuses it then, and the whole call fails.
  expect(refused.stored).toEqual(['the pdf', 'the tables'])
})

const outcome = (fields: object) => ({ files: [], fields, warnings: [], chargeMicros: 1_000n }) as StepOutcome

/** Reads a document whose second page has tables that cannot be read. */
function readBroken(keepPartial: boolean, signal = new AbortController().signal) {
  const steps: Record<string, () => StepOutcome> = {
    'tables-1': () => outcome({ tables: [] }),
    'tables-2': () => {
      throw new Problem('TIME_LIMIT_EXCEEDED')
    },
    text: () => outcome({ pages: [{ page: 1, markdown: 'Of the first page.' }] }),
  }
  const file = { type: 'application/pdf', path: 'letter.pdf', facts: { pages: 2 } }
  const call = { file, ocr: 'off', languages: ['eng'], tables: true, index: true, batons: {}, keepPartial }
  const context = { runStep: async ({ id }: StepRun) => steps[id]!(), progress: () => undefined, signal }
  return readParts(call as unknown as DocumentCall, context as unknown as RunContext)
}

test('with keepPartial tables that cannot be read cost nothing, and the text is read', async () => {
  await expect(readBroken(false)).rejects.toThrow(new Problem('TIME_LIMIT_EXCEEDED').message)
  await expect(readBroken(true, AbortSignal.abort())).rejects.toThrow(new Problem('TIME_LIMIT_EXCEEDED').message)
  const { result, baseMicros } = await readBroken(true)
  expect(result).toMatchObject({ sheets: [], text: { text: 'Of the first page.' } })
  expect(result.steps).toMatchObject([
    { name: 'tables', chargeMicros: 0n, problem: { code: 'TIME_LIMIT_EXCEEDED' } },
    { name: 'text', chargeMicros: 1_000n },
  ])
  expect(baseMicros).toBe(1_000n)
})

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

let stack: Stack
let customer: Customer
beforeAll(async () => {
  stack = await openDefaultStack()
})
afterAll(() => stack[Symbol.asyncDispose]())
beforeEach(async () => {
  customer = await stack.customer(50_000_000n)
})

const ingest = (body: object, headers = {}) => charge('/v1/bundles/rag-ingest', body, headers)

async function charge(path: string, body: object, headers = {}) {
  const before = (await customer.money()).balance
  const given = await customer.post(path, body, headers)
  const { balance, held } = await customer.money()
  expect(held).toBe(0n)
  return { ...given, charged: Number(before - balance) }
}

/** What the baton has of it, read as any client does. */
async function list(baton: string) {
  const { body } = await customer.get(`/v1/baton/${baton}/vectors?limit=100`)
  const read = ({ id }: { id: string }) => customer.get(`/v1/baton/${baton}/vectors/${encodeURIComponent(id)}`)
  const vectors = await Promise.all((body.vectors as { id: string }[]).map(read))
  return vectors.map(vector => vector.body as { id: string; text: string; metadata: Record<string, unknown> })
}

const TIDES =
  '# Tides\n\nHigh tide comes twice a day. Low tide is at six.\n\n## Berths\n\nA berth costs 40 euros a night.'
const FEMTO = { baton: { tier: 'femto' } }

test('a text is cut, embedded and written to a new baton, and answers questions', async () => {
  const quoted = await customer.post('/v1/bundles/rag-ingest', {
    text: TIDES,
    split: 'markdown',
    ...FEMTO,
    dryRun: true,
  })
  const { status, body, charged } = await ingest({
    text: TIDES,
    split: 'markdown',
    docId: 'tides',
    ...FEMTO,
    metadata: { lang: 'en' },
  })
  expect([status, body]).toMatchObject([
    200,
    { created: true, docId: 'tides', chunks: 2, dimensions: 384, replaced: 0, count: 2, engine: 'lexical' },
  ])
  expect([charged, Number(body.chargedMicros)]).toEqual([Number(quoted.body.quote.amountMicros), charged])
  expect(body.steps.map(({ name }: { name: string }) => name)).toEqual(['chunk', 'embed', 'write'])
  expect(body.steps.reduce((sum: number, step: { chargedMicros: string }) => sum + Number(step.chargedMicros), 0)).toBe(
    charged,
  )
  const vectors = await list(body.batonId)
  expect(vectors.map(({ id, metadata }) => [id, metadata.heading, metadata.lang])).toEqual([
    ['tides#0', 'Tides', 'en'],
    ['tides#1', 'Tides > Berths', 'en'],
  ])
  for (const { text, metadata } of vectors) expect(TIDES.slice(Number(metadata.start), Number(metadata.end))).toBe(text)
  const answer = await customer.post('/v1/rag/answer', { question: 'What does a berth cost?', batonId: body.batonId })
  expect(answer.body).toMatchObject({
    answered: true,
    sources: [{ id: 'tides#1', quote: 'A berth costs 40 euros a night.' }],
  })
})

test('small chunks need no overlap to be given with them', async () => {
  const text = Array.from({ length: 20 }, (_, index) => `Boat ${index} has a berth at pier ${index}.`).join(' ')
  const { status, body } = await ingest({ text, docId: 'boats', chunkBytes: 200, ...FEMTO })
  const half = await ingest({ text, docId: 'boats', chunkBytes: 200, overlapBytes: 100, ...FEMTO })
  expect([status, body.chunks]).toEqual([200, half.body.chunks])
})

test('a document is replaced by the next one of its name, and by nothing if that is refused', async () => {
  const long = Array.from({ length: 60 }, (_, index) => `Sentence ${index} is about the tide at pier ${index}.`).join(
    ' ',
  )
  const { body: first } = await ingest({ text: long, docId: 'log', chunkBytes: 300, overlapBytes: 0, ...FEMTO })
  expect(first.chunks).toBeGreaterThan(5)
  const { batonId } = first
  await ingest({ text: 'Another document.', docId: 'log.2', batonId })
  const { body: second } = await ingest({ text: TIDES, docId: 'log', batonId })
  expect(second).toMatchObject({ created: false, batonId, chunks: 1, replaced: first.chunks, count: 2 })
  expect((await list(batonId)).map(({ id }) => id)).toEqual(['log#0', 'log.2#0'])
  const kept = await ingest({ text: 'Again.', docId: 'log', batonId, replaceDoc: false })
  expect([kept.status, kept.body.code, kept.charged]).toEqual([409, 'VECTOR_EXISTS', 0])
  const tooLarge = await ingest({ text: long.repeat(20), docId: 'log', batonId })
  expect([tooLarge.body.code, tooLarge.charged]).toEqual(['QUOTA_EXHAUSTED', 0])
  expect((await list(batonId)).find(({ id }) => id === 'log#0')!.text).toBe(TIDES)
})

test('nothing is kept or charged of a bundle that fails, also no new baton', async () => {
  const { status, body, charged } = await ingest({ text: 'The tide. '.repeat(20_000), ...FEMTO })
  expect([status, body.code, charged]).toEqual([409, 'QUOTA_EXHAUSTED', 0])
  expect(await rows(stack.db, 'select id from svc.baton where account_id = $1', [customer.accountId])).toEqual([])
})

test('a PDF is read with its pages, and its reading is a step with its price', async () => {
  const file = { inline: (await readFile('tasks/samples/letter.pdf')).toString('base64') }
  const quoted = await customer.post('/v1/bundles/rag-ingest', { file, ...FEMTO, dryRun: true })
  const { status, body, charged } = await ingest({ file, ...FEMTO, chunkBytes: 200, overlapBytes: 0 })
  expect([status, body.steps?.[0]]).toMatchObject([200, { name: 'read', status: 'succeeded', chargedMicros: '6000' }])
  expect(charged).toBe(Number(body.chargedMicros))
  expect(charged).toBeLessThanOrEqual(Number(quoted.body.quote.ceiling?.amountMicros ?? quoted.body.quote.amountMicros))
  const vectors = await list(body.batonId)
  expect([vectors[0]!.metadata.page, vectors.at(-1)!.metadata.pageEnd ?? vectors.at(-1)!.metadata.page]).toEqual([1, 2])
  expect(body.docId).toMatch(/^[0-9a-f]{64}$/)
})

test('other documents are read as doc/to-markdown reads them', async () => {
  const file = { inline: (await readFile('tasks/samples/log-book.docx')).toString('base64') }
  const { status, body } = await ingest({ file, ...FEMTO })
  expect([status, body.steps?.[0]]).toMatchObject([200, { name: 'read', chargedMicros: '2000' }])
  const digest = createHash('sha256').update('Tide').digest('hex')
  const named = await ingest({ file: { text: 'Tide' }, ...FEMTO })
  expect(named.body.docId).not.toBe(digest)
  expect(named.body.chunks).toBe(1)
})

test('the same key gives the same answer, and one baton', async () => {
  const headers = { 'idempotency-key': 'ingest-1' }
  const first = await ingest({ text: TIDES, ...FEMTO }, headers)
  const again = await ingest({ text: TIDES, ...FEMTO }, headers)
  expect([again.body.batonId, again.charged]).toEqual([first.body.batonId, 0])
})

test('refuses for nothing what cannot be ingested', async () => {
  const other = await stack.customer(50_000_000n)
  const { body: foreign } = await other.post('/v1/bundles/rag-ingest', { text: TIDES, ...FEMTO })
  const { body: drop } = await customer.post('/v1/baton', { preset: 'drop', tier: 'femto', content: 'Tide' })
  const { body: own } = await customer.post('/v1/baton', { preset: 'vector', tier: 'femto' })
  await customer.post(`/v1/baton/${own.id}/vectors`, { vectors: [{ id: 'a', values: [1, 2] }] })
  for (const [body, status, code] of [
    [{ text: TIDES, batonId: foreign.batonId }, 404, 'NOT_FOUND'],
    [{ text: TIDES, batonId: drop.id }, 422, 'PRESET_MISMATCH'],
    [{ text: TIDES, batonId: own.id }, 409, 'MODEL_MISMATCH'],
    [{ text: TIDES, batonId: own.id, ...FEMTO }, 400, 'CONFLICTING_OPTIONS'],
    [{ text: ' \n ' }, 422, 'INPUT_EMPTY'],
    [{ text: '😀😀 👍' }, 422, 'INPUT_EMPTY'],
    [{}, 400, 'MISSING_FIELD'],
    [{ text: TIDES, file: { text: TIDES } }, 400, 'CONFLICTING_OPTIONS'],
    [{ text: TIDES, chunkBytes: 200, overlapBytes: 101 }, 400, 'INVALID_PARAM'],
    [{ text: TIDES, baton: { tier: 'femto', nam: 'x' } }, 400, 'UNKNOWN_FIELD'],
  ] as const) {
    const answer = await ingest(body)
    expect([answer.status, answer.body.code, answer.charged]).toEqual([status, code, 0])
  }
})

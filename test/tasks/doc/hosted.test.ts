import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDocumentProviders } from '../../../ops/providers/document/open.ts'
import type { Pools } from '../../../pools/index.ts'
import { runJob, testPools } from '../../support/pools/open.ts'
import { type FakeDocuments, openFakeDocuments } from '../../support/servers/documents.ts'

let fake: FakeDocuments
let pools: Pools & AsyncDisposable
const calls: unknown[] = []
beforeAll(async () => {
  fake = await openFakeDocuments()
  const documents = openDocumentProviders(fake.config('textract'), { onCall: call => calls.push(call) })
  pools = await testPools({ documents })
})
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await fake[Symbol.asyncDispose]()
})
beforeEach(() => {
  fake.seen.length = 0
  calls.length = 0
})

const LETTER = readFileSync('tasks/samples/letter.pdf')

const run = (operation: string, body: Record<string, unknown>) =>
  runJob(pools, `doc.${operation}`, { languages: ['eng'], ...body }, { limitSeconds: 120 })

test('one page is sent as a JPEG, and its tables come back in the form of ours', async () => {
  const { result } = await run('extract-tables', { file: LETTER, page: 1, numbers: 'parse' })
  expect(result).toMatchObject({
    ...{ engine: 'textract', source: 'model' },
    tables: [{ method: 'model', rows: 2, cols: 2, box: { x: 0.1, y: 0.3, width: 0.4, height: 0.1 } }],
  })
  const cells = (result.tables as { cells: { text: string; number?: number }[] }[])[0]!.cells
  expect(cells.map(({ text, number }) => [text, number])).toEqual(
    [['Stores'], ['Oil'], ['1,250', 1250]].map(([a, b]) => [a, b]),
  )
  const [{ body, jpegs }] = fake.seen as [(typeof fake.seen)[0]]
  expect(body.FeatureTypes).toEqual(['TABLES'])
  const { format, width, height, exif } = await sharp(jpegs[0]).metadata()
  expect([format, exif, Math.max(width, height)]).toEqual(['jpeg', undefined, 3000])
  expect(calls).toMatchObject([{ provider: 'textract', model: 'doc.extract-tables', isOk: true }])
  const local = await run('extract-tables', { file: LETTER, page: 1, mode: 'stream' })
  expect([local.result.engine, fake.seen.length]).toEqual(['local', 1])
})

test('forms, layouts and invoices name who has read them', async () => {
  const form = await run('extract-form', { file: LETTER, page: 1, keys: ['captain'] })
  expect(form.result).toMatchObject({
    engine: 'textract',
    fields: [{ key: 'Captain', value: 'Ahab', source: 'model' }],
  })
  // What a PDF states itself is exact.
  const own = await run('extract-form', { file: readFileSync('tasks/samples/order-form.pdf'), page: 1 })
  expect(own.result).toMatchObject({ engine: 'local', source: 'form' })
  const layout = await run('ocr-layout', { file: LETTER, page: 1, include: ['tables'] })
  expect(layout.result).toMatchObject({ engine: 'textract', source: 'ocr', tables: [{ rows: 2 }] })
  expect(layout.result.text).toContain('Harbour log')
  const invoice = await run('parse-invoice', { file: LETTER, page: 1, locale: 'en-US', lineItems: false })
  expect(invoice.result).toMatchObject({
    ...{ engine: 'textract', kind: 'invoice', total: { value: '1190.00' }, lines: [] },
    checks: { totalMatches: true },
  })
  const xml = await run('parse-invoice', { file: readFileSync('tasks/samples/invoice.xml') })
  expect(xml.result).toMatchObject({ engine: 'local', source: 'xml' })
})

test('a zone with check digits wins over what a provider reads', async () => {
  const passport = await run('parse-id', { file: readFileSync('tasks/samples/passport.png') })
  expect(passport.result).toMatchObject({
    ...{ engine: 'textract', documentType: 'passport', issuingCountry: 'UTO' },
    fields: { lastName: { source: 'ocr' }, documentNumber: { source: 'ocr' } },
  })
  const licence = await run('parse-id', { file: readFileSync('tasks/samples/sign.png') })
  expect(licence.result).toMatchObject({
    ...{ documentType: 'driving-licence', issuingCountry: 'USA', expired: expect.any(Boolean) },
    fields: { lastName: { value: 'COFFIN', source: 'model' } },
  })
})

test('languages that a provider does not take are told', async () => {
  const licence = readFileSync('tasks/samples/sign.png')
  for (const operation of ['extract-tables', 'extract-form', 'ocr-layout', 'parse-invoice']) {
    const { warnings } = await run(operation, { file: licence, languages: ['deu'] })
    expect(warnings, operation).toContain('LANGUAGES_IGNORED')
  }
  const { warnings } = await run('ocr-layout', { file: licence })
  expect(warnings).toEqual([])
})

test('a provider that fails is told, and not replaced by other engines unasked', async () => {
  fake.failures.push('denied')
  await expect(run('extract-tables', { file: LETTER, page: 1 })).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
  expect(calls).toMatchObject([{ isOk: false }])
})

import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { DocumentProvider, SentPage } from '../../../ops/providers/document/contract.ts'
import { openDocumentProviders } from '../../../ops/providers/document/open.ts'
import { joinSides } from '../../../tasks/formats/document/hosted.ts'
import { listLanguageHints } from '../../../tasks/formats/ocr/languages.ts'
import { type FakeDocuments, openFakeDocuments } from '../../support/servers/documents.ts'

let fake: FakeDocuments
let page: SentPage
beforeAll(async () => {
  fake = await openFakeDocuments()
  const bytes = await sharp({ create: { width: 200, height: 100, channels: 3, background: '#fff' } })
    .jpeg()
    .toBuffer()
  page = { bytes, width: 200, height: 100 }
})
afterAll(() => fake[Symbol.asyncDispose]())
beforeEach(() => {
  fake.seen.length = 0
  fake.failures.length = 0
})

const BOX = [0, 0, 1, 1] as const
const NAMES = ['textract', 'azure', 'google'] as const
const limit = (signal = new AbortController().signal) => ({ signal, deadlineMs: performance.now() + 60_000 })
const open = (name: DocumentProvider['name']) => openDocumentProviders(fake.config(name)).providers[0]!

test.each(NAMES)('%s reads lines and words', async name => {
  const { lines } = await open(name).readText!(page, limit())
  expect(lines.map(({ text }) => text)).toEqual(['Harbour log', 'Stores'])
  expect(lines[0]!.words).toMatchObject([
    { text: 'Harbour', confidence: 0.99, box: [0.1, 0.1, expect.closeTo(0.3, 5), expect.closeTo(0.15, 5)] },
    { text: 'log', confidence: 0.88 },
  ])
})

test.each(NAMES)('%s finds tables with their spans', async name => {
  const { tables } = await open(name).readTables!(page, limit())
  expect(tables).toMatchObject([{ method: 'model', rows: 2, cols: 2 }])
  const texts = tables[0]!.cells.map(({ r, c, colSpan, words }) => [
    r,
    c,
    colSpan,
    words.map(({ text }) => text).join(),
  ])
  expect(texts).toEqual([
    [0, 0, 2, 'Stores'],
    [1, 0, 1, 'Oil'],
    [1, 1, 1, '1,250'],
  ])
})

test.each(NAMES)('%s finds pairs and check boxes', async name => {
  const { fields } = await open(name).readFields!(page, limit())
  const found = fields.map(({ key, value, type, checked }) => [key, value, type, checked])
  expect(found.slice(0, 2)).toEqual([
    ['Captain', 'Ahab', 'text', undefined],
    ['Insured', 'true', 'checkbox', true],
  ])
  if (name === 'textract')
    expect(fields[2]).toMatchObject({ type: 'signature', valueBox: [0.6, 0.9, expect.closeTo(0.9, 5), 1] })
})

test.each(NAMES)('%s reads invoices', async name => {
  const { invoice } = await open(name).readInvoice!(page, { locale: 'en-US' }, limit())
  const values = (fields: object = {}) =>
    Object.fromEntries(Object.entries(fields).flatMap(([key, found]) => (found?.value ? [[key, found.value]] : [])))
  expect(invoice).toMatchObject({ kind: 'invoice', vendor: { name: { value: 'Pequod Stores', source: 'model' } } })
  expect(values(invoice)).toMatchObject({
    ...{ number: 'NB-17', issueDate: '2026-03-14', currency: 'USD' },
    ...{ subtotal: '1000.00', total: '1190.00' },
  })
  expect(invoice!.lines.map(values)).toEqual([
    { description: 'Rope', quantity: '4', unitPrice: '250.00', amount: '1000.00' },
  ])
  expect(invoice!.taxes.map(values)).toMatchObject([{ amount: '190.00' }])
})

test.each(NAMES)('%s reads identity documents', async name => {
  const { documentType, issuingCountry, fields } = await open(name).readIdentity!([page, page], limit())
  expect([documentType, issuingCountry]).toEqual(['driving-licence', 'USA'])
  expect(Object.fromEntries(Object.entries(fields).map(([field, { value }]) => [field, value]))).toEqual({
    ...{ firstName: 'ISHMAEL', lastName: 'COFFIN', documentNumber: 'D1234567', dateOfExpiry: '2031-03-14' },
  })
  // Textract takes both sides at once.
  expect(fake.seen.flatMap(({ jpegs }) => jpegs)).toHaveLength(2)
})

test('what only the back of a document says is added, without a place on the front', () => {
  const value = (text: string) => ({ value: text, raw: text, confidence: 1, source: 'model' as const, box: BOX })
  const front = { documentType: 'id-card' as const, fields: { lastName: value('COFFIN') } }
  const back = { issuingCountry: 'USA', fields: { lastName: value('C0FFIN'), address: value('1 Try Works') } }
  const { box: _, ...address } = value('1 Try Works')
  const fields = { lastName: value('COFFIN'), address }
  expect(joinSides([front, back])).toEqual({ documentType: 'id-card', issuingCountry: 'USA', fields })
  expect(joinSides([front])).toBe(front)
})

test('languages are given to the providers that take them', async () => {
  const german = { ...page, languages: ['de', 'fr'] }
  for (const name of NAMES) await open(name).readText!(german, limit())
  await open('google').readInvoice!(german, {}, limit())
  const [textract, azure, google, invoice] = fake.seen.map(({ body }) => body)
  expect(azure).toMatchObject({ locale: 'de' })
  expect(google).toMatchObject({ processOptions: { ocrConfig: { hints: { languageHints: ['de', 'fr'] } } } })
  expect([textract, invoice].every(body => !JSON.stringify(body).includes('"de"'))).toBe(true)
  expect(listLanguageHints(['eng'])).toEqual([])
  expect(listLanguageHints(['deu', 'chi_tra', 'fr-CA'])).toEqual(['de', 'zh-hant', 'fr-CA'])
})

test.each(NAMES)('what is wrong with %s, or with the page, is a problem without secrets', async name => {
  const provider = open(name)
  const failWith = async (...failures: FakeDocuments['failures']) => {
    fake.failures.splice(0, Infinity, ...failures)
    const problem = await provider.readTables!(page, limit()).catch((error: unknown) => error)
    expect(JSON.stringify(problem)).not.toContain('tests')
    return problem
  }
  const unavailable = { code: 'PROVIDER_UNAVAILABLE', hints: { provider: name } }
  expect(await failWith('denied')).toMatchObject(unavailable)
  expect(await failWith('invalid-page')).toMatchObject({ code: 'IMAGE_DECODE_FAILED', hints: { provider: name } })
  for (const failure of ['throttled', 'cut-off', 'not-json'] as const)
    expect(await failWith(failure, failure)).toMatchObject(unavailable)
  const empty = { tables: [], lines: [] }
  expect(await failWith('empty')).toMatchObject(name === 'textract' ? empty : unavailable)
})

test.each(NAMES)('%s gets a second chance, and a cancelled call none', async name => {
  const provider = open(name)
  fake.failures.push('broken')
  expect((await provider.readText!(page, limit())).lines).toHaveLength(2)
  fake.failures.push('silent')
  const cancelled = new AbortController()
  const before = fake.seen.length
  const waiting = provider.readText!(page, limit(cancelled.signal))
  await expect.poll(() => fake.seen.length).toBe(before + 1)
  cancelled.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
})

test('Azure reads a receipt where it sees no invoice, and nothing where it sees neither', async () => {
  fake.blindModels.add('prebuilt-invoice')
  const { invoice } = await open('azure').readInvoice!(page, {}, limit())
  expect(invoice).toMatchObject({
    ...{ kind: 'receipt', vendor: { name: { value: 'Spouter Inn' } }, issueDate: { value: '2026-03-14' } },
    ...{ tip: { value: '2.00' }, total: { value: '12.00' }, currency: { value: 'USD' } },
  })
  fake.blindModels.add('prebuilt-receipt')
  expect((await open('azure').readInvoice!(page, {}, limit())).invoice).toBeUndefined()
  fake.blindModels.clear()
})

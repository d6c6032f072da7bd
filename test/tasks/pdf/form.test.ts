import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf, type PdfDict, PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { orderForm } from '../../support/pdf/forms.ts'
import { extractText, listFonts, renderPage } from '../../support/pdf/inspect.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const runForm = (body: Record<string, unknown>) => runJob(pools, 'pdf.form', { file: orderForm(), ...body })
const fill = (values: object, more: object = {}) => runForm({ action: 'fill', values, ...more })
const readValues = (bytes: Uint8Array) =>
  Object.fromEntries(new PdfReader(bytes).fields.map(({ fullname, value }) => [fullname, value]))

test('lists every type of field', async () => {
  const { result, chargedMicros } = await runForm({})
  expect(chargedMicros).toBe(1_000n)
  expect(result.xfa).toBe('none')
  const fields = result.fields as PdfDict[]
  expect(fields.map(({ name, type }) => [name, type])).toEqual([
    ['name', 'text'],
    ['notes', 'text'],
    ['zip', 'text'],
    ['express', 'checkbox'],
    ['payment', 'radio'],
    ['size', 'select'],
    ['extras', 'multiselect'],
    ['total', 'text'],
  ])
  expect(fields[0]).toMatchObject({
    required: true,
    tooltip: 'Who orders',
    page: 1,
    rect: [80, 14, 280, 36],
    value: null,
  })
  expect(fields[2]).toMatchObject({ maxLength: 5, multiline: false })
  expect(fields[3]).toMatchObject({ value: false, options: [{ value: 'Ja', label: 'Ja' }] })
  expect(fields[4]!.options).toEqual(['Card', 'Cash'].map(value => ({ value, label: value })))
  expect(fields[5]!.options).toEqual([
    { value: 'S', label: 'Small' },
    { value: 'M', label: 'Medium' },
  ])
  expect(fields[7]).toMatchObject({ readOnly: true, value: '12' })
})

test('fills every type of field so that other readers see the values', async () => {
  const values = {
    name: 'Ada',
    notes: 'one\ntwo',
    zip: 12345,
    express: true,
    payment: 'Cash',
    size: 'Medium',
    extras: ['bow', 'box'],
  }
  const { bytes, chargedMicros, warnings } = await fill(values)
  expect(chargedMicros).toBe(3_000n)
  expect(warnings).toEqual([])
  expect(runQpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax')
  expect(readValues(bytes)).toMatchObject({
    name: 'u:Ada',
    zip: 'u:12345',
    express: '/Ja',
    payment: '/Cash',
    size: 'u:M',
  })
  const text = extractText(bytes)
  for (const word of ['Ada', 'one', 'two', 'Medium', 'bow', 'box']) expect(text).toContain(word)
  const rendering = renderPage(bytes)
  expect(rendering.grayAt(87, 159)).toBeLessThan(10)
  expect([rendering.grayAt(87, 203), rendering.grayAt(117, 203)].map(grey => grey < 10)).toEqual([false, true])
  const list = (await runForm({ file: bytes })).result.fields as PdfDict[]
  expect(list.map(({ value }) => value)).toEqual(['Ada', 'one\ntwo', '12345', true, 'Cash', 'M', ['bow', 'box'], '12'])
  expect(extractText(bytes, ['-f', '2']).trim()).toBe('Ada')
})

test.each(['Kadıköy 日本', 'Ωμέγα Привет', '서울 สวัสดี', 'שלום'])('renders %s with embedded fonts', async name => {
  const { bytes } = await fill({ name }, { flatten: true })
  expect(extractText(bytes).replaceAll(/[\u200e-\u202e]/g, '')).toContain(name)
  expect(listFonts(bytes)).toMatch(/Noto\S+\s+CID .*yes yes yes/)
  expect(new PdfReader((await fill({ name })).bytes).fields[0]!.value).toBe(`u:${name}`)
})

test('keeps the form font for Latin text and aligns right-to-left text to the right', async () => {
  const plain = await fill({ name: 'Größe' })
  expect(listFonts(plain.bytes)).not.toContain('Noto')
  expect(extractText(plain.bytes)).toContain('Größe')
  const hebrew = renderPage((await fill({ notes: 'שלום' })).bytes)
  const dark = (from: number, to: number) =>
    Array.from({ length: (to - from) * 20 }, (_, spot) =>
      hebrew.grayAt(from + (spot % (to - from)), 52 + Math.floor(spot / (to - from))),
    ).some(grey => grey < 128)
  expect([dark(90, 200), dark(200, 278)]).toEqual([false, true])
})

test('breaks long text into smaller lines and fills very long text quickly', async () => {
  const words = 'uzun bir cümle ışıkta '
  const { bytes } = await fill({ notes: words.repeat(8) })
  expect(extractText(bytes).match(/cümle/g)).toHaveLength(8)
  const long = await fill({ notes: words.repeat(4500) })
  expect(readValues(long.bytes).notes).toHaveLength(2 + words.length * 4500)
})

test.each([
  ['fits', 'Second floor', 'fits', []],
  ['is too wide', 'Second floor', 'W'.repeat(60), ['TEXT_CUT_OFF']],
  ['has too many lines', 'word '.repeat(400), 'fits', ['TEXT_CUT_OFF']],
])('warns of a text that the page cannot show: one that %s', async (_, notes, zip, expected) => {
  const form = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R 5 0 R] >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Annots [4 0 R 5 0 R] >>',
    '<< /Type /Annot /Subtype /Widget /FT /Tx /T (notes) /Ff 4096 /F 4 /Rect [20 100 220 150] /DA (/Helv 10 Tf 0 g) >>',
    '<< /Type /Annot /Subtype /Widget /FT /Tx /T (zip) /F 4 /Rect [20 60 220 80] /DA (/Helv 10 Tf 0 g) >>',
  ])
  const { warnings } = await runForm({ file: form, action: 'fill', flatten: true, values: { notes, zip } })
  expect(warnings).toEqual(expected)
})

test('puts each character of a comb field into its cell', async () => {
  const rendering = renderPage((await fill({ zip: 'IIIII' })).bytes, 1, 144)
  const isDark = (x: number) =>
    Array.from({ length: 16 }, (_, row) => rendering.grayAt(x, 106 + row)).some(grey => grey < 128)
  const columns = Array.from({ length: 196 }, (_, step) => 81 + step / 2).filter(isDark)
  expect([...new Set(columns.map(x => Math.floor((x - 80) / 20)))]).toEqual([0, 1, 2, 3, 4])
  for (const x of columns) expect(Math.abs(((x - 80) % 20) - 10)).toBeLessThan(4)
})

/** A list box of 100 by 40 points at 10, 10 on a page of 200 by 100. */
const listForm = (options: readonly string[], entries = '') =>
  buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] /DA (/Helv 10 Tf 0 g) >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Annots [4 0 R] >>',
    '<< /Type /Annot /Subtype /Widget /F 4 /FT /Ch /Ff 2097152 /T (list) /Rect [10 10 110 50] ' +
      `/Opt [${options.map(option => `(${option})`).join(' ')}] ${entries} >>`,
  ])
const MANY = Array.from({ length: 30 }, (_, index) => `opt${index}`)

test('shows the other options of a list box beside what is chosen, which is marked', async () => {
  const { bytes } = await fill({ extras: ['bow', 'box'] }, { flatten: true })
  expect(extractText(bytes)).toMatch(/box\s[\s\S]*card\s[\s\S]*bow/)
  const rendering = renderPage(bytes)
  expect([278, 290, 302].map(y => rendering.grayAt(170, y) < 200)).toEqual([true, false, true])
})

test.each([
  { chosen: ['opt2'], shown: ['opt0', 'opt1', 'opt2'] },
  { chosen: ['opt11', 'opt10'], shown: ['opt9', 'opt10', 'opt11'] },
  { chosen: ['opt29', 'opt0'], shown: ['opt0', 'opt29'] },
  { chosen: [], shown: ['opt0', 'opt1', 'opt2'] },
  { chosen: [], entries: '/TI 28', shown: ['opt27', 'opt28', 'opt29'] },
])('shows of a long list box $shown where $chosen is chosen', async ({ chosen, entries, shown }) => {
  const { bytes } = await fill({ list: chosen }, { file: listForm(MANY, entries) })
  expect(extractText(bytes).trim().split(/\s+/)).toEqual(shown)
})

test('flattens the form and keeps its appearance and links', async () => {
  const { bytes } = await fill({ name: 'Ada', express: true }, { flatten: true })
  const reader = new PdfReader(bytes)
  expect(reader.fields).toEqual([])
  expect(reader.catalog['/AcroForm']).toBeUndefined()
  const annotations = reader.resolve(reader.pages[0]!['/Annots']) as unknown[]
  expect(annotations.map(item => (reader.resolve(item) as PdfDict)['/Subtype'])).toEqual(['/Link'])
  expect(extractText(bytes)).toMatch(/Ada[\s\S]*12[\s\S]*\fAda/)
  expect(renderPage(bytes).grayAt(87, 159)).toBeLessThan(10)
  const alone = await runForm({ action: 'flatten' })
  expect(extractText(alone.bytes)).toContain('12')
  expect(alone.chargedMicros).toBe(3_000n)
})

test('fills one copy per record', async () => {
  const { files, chargedMicros } = await runForm({ action: 'fill', records: [{ name: 'Ada' }, { name: 'Bob' }, {}] })
  expect(chargedMicros).toBe(6_000n)
  expect(files.map(({ bytes }) => readValues(bytes).name)).toEqual(['u:Ada', 'u:Bob', null])
  expect(files.map(({ name }) => name)).toEqual(['form-1.pdf', 'form-2.pdf', 'form-3.pdf'])
})

test('removes NeedAppearances and renders existing values', async () => {
  const file = orderForm({ form: '/NeedAppearances true', name: '/V (Eve)' })
  const { bytes } = await runForm({ file, action: 'fill', values: { zip: '1' } })
  expect((new PdfReader(bytes).catalog['/AcroForm'] as PdfDict | string) && extractText(bytes)).toContain('Eve')
  expect(bytes.toString('latin1')).not.toContain('NeedAppearances')
})

const SIGNED = buildPdf([
  '<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [4 0 R 6 0 R 7 0 R] /DA (/Helv 0 Tf 0 g) >> >>',
  '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R 6 0 R 7 0 R] >>',
  '<< /Type /Annot /Subtype /Widget /FT /Sig /T (Sign) /Rect [0 0 50 20] /V 5 0 R >>',
  '<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /Contents <00> /ByteRange [0 1 2 3] /Reference ' +
    '[<< /TransformMethod /FieldMDP /TransformParams << /Action /Include /Fields [(shut)] >> >>] >>',
  '<< /Type /Annot /Subtype /Widget /FT /Tx /T (open) /Rect [0 30 90 50] >>',
  '<< /Type /Annot /Subtype /Widget /FT /Tx /T (shut) /Rect [0 60 90 80] >>',
])

test('only appends to a signed form and keeps locked fields locked', async () => {
  const { bytes, warnings } = await fill({ open: 'yes' }, { file: SIGNED })
  expect(bytes.subarray(0, SIGNED.length).equals(SIGNED)).toBe(true)
  expect(warnings).toEqual([])
  expect(readValues(bytes).open).toBe('u:yes')
  await expect(fill({ shut: 'no' }, { file: SIGNED })).rejects.toMatchObject({
    code: 'PDF_SIGNED',
    hints: { field: 'shut' },
  })
  await expect(runForm({ file: SIGNED, action: 'flatten' })).rejects.toMatchObject({ code: 'PDF_SIGNED' })
  const flat = await runForm({ file: SIGNED, action: 'flatten', allowBreakSignatures: true })
  expect(flat.warnings).toEqual(['SIGNATURES_REMOVED'])
})

test('warns of scripts, XFA and skipped values', async () => {
  const file = orderForm({ form: '/XFA (x) /CO [8 0 R]' })
  const { warnings, bytes } = await fill({ name: 'Ada', nome: 'x', zip: 'too long' }, { file, strict: false })
  expect(warnings.sort()).toEqual(['FIELD_SKIPPED', 'FIELD_SKIPPED', 'SCRIPTS_NOT_RUN', 'XFA_REMOVED'])
  expect(readValues(bytes)).toMatchObject({ name: 'u:Ada', zip: null })
  const dynamic = orderForm({ form: '/XFA (x)', catalog: '/NeedsRendering true' })
  expect((await runForm({ file: dynamic })).result.xfa).toBe('dynamic')
  await expect(fill({ name: 'x' }, { file: dynamic })).rejects.toMatchObject({ code: 'XFA_UNSUPPORTED' })
})

test('opens an encrypted form', async () => {
  const file = runQpdf(orderForm(), ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  const { bytes, warnings } = await fill({ name: 'Ada' }, { file, password: 'geheim' })
  expect(readValues(bytes).name).toBe('u:Ada')
  expect(warnings).toEqual(['ENCRYPTION_REMOVED'])
})

test.each([
  { title: 'a document without a form', body: { file: plainPdf(1) }, code: 'NO_FORM' },
  {
    title: 'an unknown field',
    body: { values: { nane: 'x' } },
    code: 'FIELD_NOT_FOUND',
    hints: { name: 'nane', nearest: expect.arrayContaining(['name']) },
  },
  {
    title: 'text that is too long',
    body: { values: { zip: '123456' } },
    code: 'FIELD_VALUE_INVALID',
    hints: { maxLength: 5, actual: 6 },
  },
  {
    title: 'an unknown choice',
    body: { values: { size: 'XXL' } },
    code: 'FIELD_VALUE_INVALID',
    hints: { allowed: ['S', 'M'] },
  },
  { title: 'an unknown state', body: { values: { payment: 'Gold' } }, code: 'FIELD_VALUE_INVALID' },
  { title: 'a list for a text field', body: { values: { name: ['x'] } }, code: 'FIELD_VALUE_INVALID' },
  { title: 'a read-only field', body: { values: { total: '0' } }, code: 'FIELD_VALUE_INVALID' },
  { title: 'characters that no font has', body: { values: { name: '\u{10FFFD}' } }, code: 'FONT_UNAVAILABLE' },
  { title: 'a call without values', body: {}, code: 'MISSING_FIELD' },
  { title: 'values and records at once', body: { values: {}, records: [{}] }, code: 'CONFLICTING_OPTIONS' },
  { title: 'values with the action list', body: { action: 'list', values: {} }, code: 'CONFLICTING_OPTIONS' },
])('rejects $title', async ({ body, code, hints = {} }) => {
  const values = 'file' in body ? { values: {} } : {}
  await expect(runForm({ action: 'fill', ...values, ...body })).rejects.toMatchObject({ code, hints })
})

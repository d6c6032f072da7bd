import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { buildActive, drawPages, linkTo, script, unpack } from '../../support/pdf/active.ts'
import { PdfReader, pdfStream, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { orderForm } from '../../support/pdf/forms.ts'
import { extractText, withPdfFile } from '../../support/pdf/inspect.ts'
import { richPdf } from '../../support/pdf/rich-document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const NOTHING = { javascript: 0, actions: 0, links: 0, files: 0, media: 0, xfa: 0, metadata: 0 }
const EVERYTHING = { links: true, metadata: true }
const sanitize = (file: Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'pdf.sanitize', { file, ...options })
const listAddresses = (bytes: Uint8Array) => withPdfFile(bytes, file => runProgram('pdfinfo', ['-url', file]))

test('leaves nothing of earlier revisions and of objects that nothing refers to', async () => {
  const before = buildActive({ more: [script('SECRET unreferenced')] })
  const previous = /startxref\n(\d+)/.exec(before.toString('latin1'))![1]
  const object = '4 0 obj\n<< /Length 0 >>\nstream\n\nendstream\nendobj\n'
  const table = `xref\n4 1\n${String(before.length).padStart(10, '0')} 00000 n \n`
  const trailer = `trailer << /Size 8 /Root 1 0 R /Prev ${previous} /Own ${script('SECRET trailer')} >>\n`
  const end = `startxref\n${before.length + object.length}\n%%EOF\nSECRET at the end`
  const { bytes, result } = await sanitize(Buffer.concat([before, Buffer.from(object + table + trailer + end)]))
  expect(bytes.toString('latin1')).not.toMatch(/SECRET|Harbour/)
  expect(unpack(bytes)).not.toMatch(/SECRET|Harbour/)
  expect(result.removed).toMatchObject({ actions: 0 })
})

test('keeps what is harmless, and what follows a script', async () => {
  const goTo = '<< /S /GoTo /D [3 0 R /Fit] >>'
  const { bytes } = await sanitize(buildActive(linkTo(script('SECRET', `/Next ${goTo}`))))
  const reader = new PdfReader(bytes)
  const link = reader.resolve((reader.pages[0]!['/Annots'] as unknown[])[1]) as Record<string, Record<string, unknown>>
  expect(link['/A']).toMatchObject({ '/S': '/GoTo' })
  for (const action of [goTo, '<< /S /Named /N /NextPage >>', '<< /S /ResetForm >>'])
    expect((await sanitize(buildActive(linkTo(action)))).result.removed).toEqual(NOTHING)
  const web = await sanitize(buildActive(linkTo('<< /S /URI /URI (https://example.com) >>')))
  expect([web.result.removed, listAddresses(web.bytes)]).toEqual([NOTHING, expect.stringContaining('example.com')])
})

test('keeps fields, bookmarks, tags, layers and the look of a document', async () => {
  for (const file of [orderForm(), readFileSync('tasks/samples/bookmarked.pdf'), richPdf('rich')]) {
    const { bytes } = await sanitize(file)
    const [before, after] = [new PdfReader(file), new PdfReader(bytes)]
    expect(after.fields.map(({ fullname, value }) => [fullname, value])).toEqual(
      before.fields.map(({ fullname, value }) => [fullname, value]),
    )
    expect(after.outline.map(({ title }) => title)).toEqual(before.outline.map(({ title }) => title))
    for (const key of ['/StructTreeRoot', '/OCProperties']) expect(key in after.catalog).toBe(key in before.catalog)
    expect(drawPages(bytes)).toBe(drawPages(file))
  }
})

test('keeps fonts and colours that bear the names of what is removed', async () => {
  const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /ToUnicode 7 0 R >>`
  const fonts = `/Font << /JS ${font('Courier')} /EF ${font('Times-Roman')} /A ${font('Helvetica')} >>`
  const spaces = '/ColorSpace << /AF [/ICCBased 8 0 R] >> /XObject << /JS 9 0 R /F 9 0 R >>'
  const content =
    '/AF cs 1 0 0 sc BT /JS 12 Tf 20 90 Td (one) Tj /EF 12 Tf (two) Tj /A 12 Tf (three) Tj ET /JS Do /F Do'
  const file = buildActive({
    page: `/Contents 10 0 R /Resources << ${fonts} ${spaces} >>`,
    more: [
      pdfStream('begincmap endcmap'),
      pdfStream('', '/N 3 /Alternate /DeviceRGB'),
      pdfStream('9 9 40 40 re f', '/Type /XObject /Subtype /Form /BBox [0 0 99 99]'),
      pdfStream(content),
    ],
  })
  const { result, bytes } = await sanitize(file, EVERYTHING)
  expect(result.removed).toEqual(NOTHING)
  expect(unpack(bytes)).toContain('begincmap')
  expect(drawPages(bytes)).toBe(drawPages(file))
})

test('passes no page off as an action, and walks circles once', async () => {
  const file = buildActive({
    ...linkTo('3 0 R'),
    page: '/S /JavaScript /Own 1 0 R /Next 3 0 R',
    catalog: '/Own [1 0 R 3 0 R]',
  })
  const { bytes } = await sanitize(file, EVERYTHING)
  expect(extractText(bytes)).toContain('Harbour report')
})

test('opens an encrypted document, and warns of what an XFA form loses', async () => {
  const packed = pdfStream(deflateSync(Buffer.from('<SECRET/>')).toString('latin1'), '/Filter /FlateDecode')
  const file = buildActive({ catalog: `/OpenAction ${script('SECRET')}`, form: '/XFA 7 0 R', more: [packed] })
  const locked = runQpdf(file, ['--encrypt', 'word', 'owner', '256', '--', 'IN', 'OUT'])
  const { bytes, result, warnings } = await sanitize(locked, { password: 'word' })
  expect(unpack(bytes)).not.toContain('SECRET')
  expect(result.removed).toEqual({ ...NOTHING, javascript: 1, xfa: 1 })
  expect(warnings).toEqual(['ENCRYPTION_REMOVED', 'XFA_REMOVED'])
  await expect(sanitize(locked)).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
})

test('does not break a signature unasked, and refuses what is no PDF', async () => {
  const signed = plainPdf(1, { catalog: '/AcroForm << /SigFlags 3 /Fields [] >>' })
  await expect(sanitize(signed)).rejects.toMatchObject({ code: 'PDF_SIGNED' })
  expect((await sanitize(signed, { allowBreakSignatures: true })).warnings).toEqual(['SIGNATURES_REMOVED'])
  const image = readFileSync('tasks/samples/gradient.png')
  await expect(sanitize(image)).rejects.toMatchObject({ code: 'PDF_PARSE_FAILED' })
})

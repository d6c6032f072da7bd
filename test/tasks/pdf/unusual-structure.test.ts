import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf, PdfReader, pdfStream, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { extractText } from '../../support/pdf/inspect.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const check = (bytes: Uint8Array) => runQpdf(bytes, ['--check', 'IN']).toString()

const DIRECT_PAGE = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Resources << >> >>'
const directPages = (kids: string, more: string[] = []) =>
  buildPdf(['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Count 2 /Kids [${kids}] >>`, ...more])

test.each([
  ['all pages', directPages(`${DIRECT_PAGE} ${DIRECT_PAGE}`)],
  ['one of two pages', directPages(`3 0 R ${DIRECT_PAGE}`, [DIRECT_PAGE])],
])('finds and changes %s written into the page tree', async (_title, file) => {
  const rotated = await runJob(pools, 'pdf.rotate', { file, degrees: '90' })
  expect(rotated.result.rotatedPages).toBe(2)
  expect(new PdfReader(rotated.bytes).pages.map(page => page['/Rotate'])).toEqual([90, 90])
  expect(check(rotated.bytes)).toContain('No syntax')
  const reordered = await runJob(pools, 'pdf.pages', { action: 'reorder', file, order: [2, 1] })
  expect(new PdfReader(reordered.bytes).pages).toHaveLength(2)
  const resized = await runJob(pools, 'pdf.layout', { action: 'resize', file, pageSize: 'A5' })
  expect(new PdfReader(resized.bytes).pages.map(page => page['/MediaBox'])).toEqual([
    [0, 0, 419.53, 595.28],
    [0, 0, 419.53, 595.28],
  ])
})

test('writes a file that others open from one whose trailer has no size', async () => {
  const whole = plainPdf(2).toString('latin1')
  const file = Buffer.from(
    whole.replace(/\/Size \d+/, found => ' '.repeat(found.length)),
    'latin1',
  )
  const { bytes } = await runJob(pools, 'pdf.pages', { action: 'reorder', file, order: [1, 1] })
  expect(check(bytes)).toContain('No syntax')
  expect(new PdfReader(bytes).pages).toHaveLength(2)
})

test.each([
  ['Fl', deflateSync],
  ['AHx', (content: string) => Buffer.from(`${Buffer.from(content).toString('hex')}>`)],
])('reads a stream whose filter has the short name %s', async (filter, encode) => {
  const content = encode('BT /F 12 Tf 20 50 Td (Hello) Tj ET').toString('latin1')
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    pdfStream(content, `/Filter /${filter}`),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ])
  const marked = await runJob(pools, 'pdf.watermark', { file, text: 'Draft' })
  expect(extractText(marked.bytes)).toMatch(/Hello/)
  const redacted = await runJob(pools, 'pdf.redact', { file, texts: ['Hello'] })
  expect(extractText(redacted.bytes)).not.toContain('Hello')
})

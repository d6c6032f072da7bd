import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { buildPdf, pdfStream, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const FONT = '/Resources << /Font << /F1 5 0 R >> >>'

/** Two pages of text with document properties; `page` and `tree` hold the inheritable entries. */
function buildLetter({ page = '', tree = '' }): Buffer {
  const textStream = (words: string) => pdfStream(`BT /F1 12 Tf 20 100 Td (${words}) Tj ET`)
  return buildPdf(
    [
      '<< /Type /Catalog /Pages 2 0 R /Lang (de-DE) >>',
      `<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] ${tree} >>`,
      `<< /Type /Page /Parent 2 0 R /Contents 6 0 R ${page} >>`,
      `<< /Type /Page /Parent 2 0 R /Contents 7 0 R ${page} >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      textStream('First'),
      textStream('Second'),
      '<< /Title (A letter) /Author (Ann) /CreationDate (D:20200102030405Z) >>',
    ],
    '/Info 8 0 R',
  )
}

test.each([
  { where: 'on each page', page: `${FONT} /MediaBox [0 0 200 300] /Rotate 90`, tree: '' },
  { where: 'in the tree above the pages', page: '', tree: `${FONT} /MediaBox [0 0 200 300] /Rotate 90` },
])('keeps properties, fonts, size and rotation defined $where', async ({ page, tree }) => {
  for (const file of [
    buildLetter({ page, tree }),
    runQpdf(buildLetter({ page, tree }), ['--object-streams=generate', 'IN', 'OUT']),
  ]) {
    const { files } = await runJob(pools, 'pdf.split', { file })
    const parts = (files as unknown as { bytes: Buffer }[]).map(({ bytes }) => bytes)
    expect(parts.map(bytes => runProgram('pdftotext', ['-', '-'], bytes).trim())).toEqual(['First', 'Second'])
    for (const bytes of parts) {
      expect(runQpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax or stream encoding errors')
      const facts = runProgram('pdfinfo', ['-isodates', '-'], bytes)
      expect(facts).toMatch(/Title: +A letter\nAuthor: +Ann\nCreationDate: +2020-01-02T03:04:05Z\n/)
      expect(facts).toMatch(/Page size: +200 x 300 pts\nPage rot: +90\n/)
      expect(facts).not.toContain('ModDate')
      expect(runQpdf(bytes, ['--show-object=trailer', 'IN']).toString()).toContain('/Info')
      expect(runQpdf(bytes, ['--json', '--json-key=qpdf', 'IN']).toString()).toContain('"/Lang": "u:de-DE"')
    }
  }
})

test('compresses what the document leaves uncompressed', async () => {
  const lines = Array.from({ length: 60 }, (_, line) => `BT /F1 10 Tf 20 ${290 - 4 * line} Td (line${line}) Tj ET`)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>',
    ...[5, 6].map(content => `<< /Type /Page /Parent 2 0 R ${LONG_PAGE} /Contents ${content} 0 R >>`),
    ...[1, 2].map(page => pdfStream(`${lines.join('\n')} BT /F1 10 Tf 20 20 Td (page${page}) Tj ET`)),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  const { files } = await runJob(pools, 'pdf.split', { file: buildPdf(objects) })
  for (const [index, { bytes }] of (files as unknown as { bytes: Buffer }[]).entries()) {
    const text = runProgram('pdftotext', ['-', '-'], bytes)
    expect(text).toContain('line59')
    expect(text).toContain(`page${index + 1}`)
    expect(runQpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax or stream encoding errors')
    expect(bytes.toString('latin1')).toContain('/FlateDecode')
    expect(bytes.length).toBeLessThan(2000)
  }
})

const LONG_PAGE = '/MediaBox [0 0 200 300] /Resources << /Font << /F1 7 0 R >> >>'

import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { joinPagesIfPlain } from '../../../pools/tools/libpdf/plain-pages.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { buildPdf, PdfReader, pdfStream, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { extractText } from '../../support/pdf/inspect.ts'

/** Documents of nothing but pages, which are joined without qpdf. */
const SCANS = ['front', 'back'].map((name, index) =>
  buildPdf(
    [
      `<< /Type /Catalog /Pages 2 0 R /Lang (${name}) >>`,
      '<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>',
      ...[5, 6].map(
        content =>
          `<< /Type /Page /Parent 2 0 R /Rotate 90 /MediaBox [0 0 ${(index + 1) * 100 + content} 200]
            /Resources << /Font << /F1 7 0 R >> >> /Contents ${content} 0 R /Thumb 8 0 R >>`,
      ),
      ...['one', 'two'].map(text => pdfStream(`BT /F1 20 Tf 10 50 Td (${name} ${text}) Tj ET`)),
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      pdfStream('abc', '/Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceRGB'),
      `<< /Title (${name}) >>`,
    ],
    '/Info 9 0 R',
  ),
)

async function join(files: readonly Uint8Array[], pages: number[][]): Promise<Uint8Array | undefined> {
  await using folder = await freshFolder()
  const paths = files.map((_, index) => `${folder.path}/${index}.pdf`)
  for (const [index, path] of paths.entries()) writeFileSync(path, files[index]!)
  return (await joinPagesIfPlain(paths, { pages })).bytes
}

test('joins documents of nothing but pages', async () => {
  const bytes = (await join(SCANS, [
    [2, 1],
    [1, 2],
  ]))!
  const pdf = new PdfReader(bytes)
  expect(pdf.widths).toEqual([106, 105, 205, 206])
  expect(pdf.pages.map(page => page['/Rotate'])).toEqual([90, 90, 90, 90])
  expect(pdf.pages.every(page => page['/Thumb'])).toBe(true)
  expect(pdf.catalog['/Lang']).toBe('u:front')
  expect(extractText(bytes).trim().split(/\s*\f/)).toEqual(['front two', 'front one', 'back one', 'back two'])
  expect(String(runQpdf(bytes, ['--check', 'IN']))).toContain('No syntax or stream encoding errors')
})

test.each([
  ['an outline', '/Outlines 3 0 R', ''],
  ['a form', '/AcroForm << /Fields [] >>', ''],
  ['labels', '/PageLabels << /Nums [0 << /S /r >>] >>', ''],
  ['properties of XMP', '/Metadata 3 0 R', ''],
  ['annotations', '', '/Annots [3 0 R]'],
])('leaves a document with %s to qpdf, wherever it stands', async (_, catalog, page) => {
  const other = plainPdf(1, { catalog, page: `/Resources << >> ${page}` })
  expect(await join([SCANS[0]!, plainPdf(1, { page: '/Resources << >>' })], [[1], [1]])).toBeDefined()
  expect(await join([SCANS[0]!, other], [[1], [1]])).toBeUndefined()
  expect(await join([other, SCANS[0]!], [[1], [1]])).toBeUndefined()
})

test('leaves to qpdf what its reader cannot open', async () => {
  expect(await join([SCANS[0]!, Buffer.from('%PDF-1.7\nnothing')], [[1], [1]])).toBeUndefined()
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const INFO = /secret|mine|\/Info/
const buildWithInfo = () =>
  buildPdf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
      '<< /Author (secret) /Own (mine) >>',
    ],
    '/Info 4 0 R',
  )

/** Appends a new information dictionary, so that the old one stays in the bytes. */
function appendInfo(bytes: Uint8Array): Buffer {
  const before = Buffer.from(bytes)
  const previous = /startxref\n(\d+)/.exec(before.toString('latin1'))![1]
  const object = '4 0 obj\n<< /Author (second secret) >>\nendobj\n'
  const table = `xref\n4 1\n${String(before.length).padStart(10, '0')} 00000 n \n`
  const trailer = `trailer << /Size 5 /Root 1 0 R /Info 4 0 R /Prev ${previous} >>\n`
  const end = `startxref\n${before.length + object.length}\n%%EOF\n`
  return Buffer.concat([before, Buffer.from(object + table + trailer + end)])
}

test.each([
  { title: 'a plain document', make: buildWithInfo },
  {
    title: 'one with object streams',
    make: () => runQpdf(buildWithInfo(), ['--object-streams=generate', 'IN', 'OUT']),
  },
  { title: 'a linearized one', make: () => runQpdf(buildWithInfo(), ['--linearize', 'IN', 'OUT']) },
  { title: 'one that was appended to', make: () => appendInfo(buildWithInfo()) },
  {
    title: 'an encrypted one',
    make: () => runQpdf(buildWithInfo(), ['--encrypt', 'u', 'o', '256', '--', 'IN', 'OUT']),
    more: { password: 'u' },
  },
])('strips the information dictionary of $title without XMP', async ({ make, more }) => {
  const file = make()
  for (const op of ['pdf.metadata', 'pdf.compress']) {
    const options = op === 'pdf.metadata' ? { action: 'strip' } : { stripMetadata: true }
    const { bytes } = await runJob(pools, op, { file, ...options, ...more })
    expect(Buffer.from(bytes).toString('latin1')).not.toMatch(INFO)
    expect(runQpdf(bytes, ['--qdf', '--object-streams=disable', 'IN', 'OUT']).toString('latin1')).not.toMatch(INFO)
  }
})

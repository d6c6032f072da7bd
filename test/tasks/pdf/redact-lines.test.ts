import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf } from '../../support/pdf/document.ts'
import { extractText, renderPage } from '../../support/pdf/inspect.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

/** A page of Helvetica, where octal codes are of WinAnsi. */
function buildLines(...lines: string[]) {
  const content = `BT /F 12 Tf 20 180 Td ${lines.map(line => `(${line}) Tj 0 -20 Td`).join(' ')} ET`
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ])
}

async function redact(file: Uint8Array, body: object) {
  const { bytes, result } = await runJob(pools, 'pdf.redact', { file, ...body })
  return { words: extractText(bytes).split(/\s+/).filter(Boolean), redactions: result.redactions }
}

test.each([
  ['Mustermann', ['paid to Muster-', 'mann on Monday'], ['paid', 'to', 'on', 'Monday']],
  ['M\u00fcller-L\u00fcdenscheidt', ['for M\\374ller-', 'L\\374denscheidt only'], ['for', 'only']],
  ["O'Brien", ['told O\\222Brien so'], ['told', 'so']],
  ['Bahn-Card', ['Bahn-', 'Card of a Bahn-Card'], ['of', 'a']],
])('redacts %s where lines part it or marks differ', async (text, lines, kept) => {
  expect((await redact(buildLines(...lines), { texts: [text] })).words).toEqual(kept)
})

/** The texts at their places on a page that is shown turned. */
function buildTurned(rotate: number, ...lines: string[]) {
  const file = buildLines(...lines).toString('latin1')
  return Buffer.from(file.replace('/MediaBox [0 0 300 200]', `/MediaBox [0 0 300 200] /Rotate ${rotate}`), 'latin1')
}

test.each([0, 90, 180, 270])('redacts what is a part of a word on a page turned by %i', async rotate => {
  const lines = ['code:4711', 'IBAN:DE1234567890 plain', 'xxxxxxxxxxxxxx4711']
  const file = buildTurned(rotate, ...lines)
  const { words } = await redact(file, { texts: ['4711'], patterns: ['DE\\d+'] })
  expect(words.filter(word => /\d/.test(word))).toEqual([])
  expect(words).toContain('plain')
})

test.each([0, 90, 180, 270])('redacts what goes over lines of one word on a page turned by %i', async rotate => {
  const { words, redactions } = await redact(buildTurned(rotate, 'Pay', 'Maria', 'Lopez', 'now'), {
    texts: ['Maria Lopez'],
  })
  expect(words.toSorted()).toEqual(['Pay', 'now'])
  expect(redactions).toBe(2)
})

test('hides a part of an upside down word also where nothing shows how the page is read', async () => {
  const file = buildTurned(180, '4711abcdefghijklmnop')
  const { bytes } = await runJob(pools, 'pdf.redact', { file, texts: ['4711'] })
  // As it is shown, the word begins at the right end of its line.
  const { grayAt } = renderPage(bytes, 1, 144)
  const inked = Array.from({ length: 20 }, (_, step) => grayAt(279 - step, 184))
  expect(inked.every(level => level < 40)).toBe(true)
})

test('redacts an address that goes over two lines once', async () => {
  const file = buildLines('mail anna.schmidt-', 'koch@example.org today')
  const { words, redactions } = await redact(file, { patterns: ['[\\w.-]+@[\\w.]+'] })
  expect(words).toEqual(['mail', 'today'])
  expect(redactions).toBe(2)
})

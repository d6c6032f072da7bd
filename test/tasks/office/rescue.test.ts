import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { classifyOffice } from '../../../tasks/formats/office/classify.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
const folder = mkdtempSync(join(tmpdir(), 'rescue-'))
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await pools[Symbol.asyncDispose]()
})

const LOG_BOOK = readFileSync('tasks/samples/log-book.docx')

async function rescue(body: Record<string, unknown>) {
  const answer = await runJob(pools, 'office.rescue', body, { limitSeconds: 60 })
  writeFileSync(join(folder, 'rescued.pdf'), answer.bytes)
  return { ...answer, text: execFileSync('pdftotext', [join(folder, 'rescued.pdf'), '-']).toString() }
}

test('finds old formats by their content', async () => {
  const sylk = Buffer.from('ID;PX\nC;Y1;X1;K"Lamp"\nC;Y1;X2;K"lit"\nE\n')
  expect(await rescue({ file: sylk })).toMatchObject({
    result: { detectedFormat: 'slk', filter: 'SYLK', fidelity: 'medium', pages: 1 },
    text: expect.stringMatching(/Lamp\s+lit/),
    chargedMicros: 15_000n,
  })
})

test('reads a wrapped Macintosh file, and text in the code pages of DOS', async () => {
  const rtf = Buffer.from('{\\rtf1 The lamp is lit}')
  const header = Buffer.alloc(128)
  header[1] = 4
  header.write('lamp', 2)
  header.writeUInt32BE(rtf.length, 83)
  const wrapped = await rescue({ file: Buffer.concat([header, rtf, Buffer.alloc(100)]) })
  expect(wrapped).toMatchObject({ result: { detectedFormat: 'rtf', fidelity: 'high' } })
  expect(wrapped.text).toContain('The lamp is lit')
  const german = Buffer.from([
    ...Buffer.from('Gr'),
    0x81,
    0xe1,
    ...Buffer.from('e aus M'),
    0x81,
    ...Buffer.from('nchen'),
  ])
  expect((await rescue({ file: german, encoding: 'cp437' })).text).toContain('Grüße aus München')
})

test('rebuilds a package without a directory, and prints the text of one that is worse', async () => {
  const end = LOG_BOOK.indexOf('PK\x01\x02')
  const rebuilt = await rescue({ file: LOG_BOOK.subarray(0, end) })
  expect(rebuilt.text).toMatch(/Monday[\s\S]*north-west/)
  expect(rebuilt.result).toMatchObject({ detectedFormat: 'docx', fidelity: expect.stringMatching(/high|medium/) })
  const text = await rescue({ file: LOG_BOOK, strategy: 'text' })
  expect(text).toMatchObject({ result: { fidelity: 'text-only' }, warnings: expect.arrayContaining(['LAYOUT_LOST']) })
  expect(text.text).toContain('north-west')
})

const part = (name: string) => {
  const header = Buffer.alloc(30)
  header.write('PK\x03\x04', 'latin1')
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, Buffer.from(name)])
}

test.each([
  ['pptx', Buffer.concat(['[Content_Types].xml', 'ppt/embeddings/a.xlsx', 'xl/a.xml', 'ppt/a.xml'].map(part))],
  ['pages', Buffer.concat(['QuickLook/Thumbnail.jpg', 'index.xml'].map(part))],
  ['wps', Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('CONTENTS', 'utf16le')])],
  ['xls', Buffer.from('090406000000100000005c00', 'hex')],
  ['wks', Buffer.from('ff0002000404055402007553', 'hex')],
])('knows a %s', (extension, bytes) => {
  expect(classifyOffice(bytes)).toMatchObject({ extension })
})

test('prints a document that begins with an empty page', async () => {
  expect((await rescue({ file: Buffer.from('{\\rtf1\\page The lamp is lit}') })).result).toMatchObject({ pages: 2 })
})

test('never takes an empty page for a success', async () => {
  const junk = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('WordDocument', 'utf16le')])
  await expect(rescue({ file: junk })).rejects.toMatchObject({ code: 'OFFICE_PARSE_FAILED' })
  await expect(rescue({ file: Buffer.from('{\\rtf1 }') })).rejects.toMatchObject({ code: 'OFFICE_PARSE_FAILED' })
  await expect(rescue({ file: readFileSync('tasks/samples/sign.png') })).rejects.toMatchObject({
    code: 'UNSUPPORTED_FORMAT',
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf, PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const runEncrypt = (body: Record<string, unknown>) => runJob(pools, 'pdf.encrypt', body)
const showEncryption = (bytes: Uint8Array, password: string) =>
  runQpdf(bytes, [`--password=${password}`, '--show-encryption', 'IN']).toString()

function canOpenWith(bytes: Uint8Array, password: string): boolean {
  try {
    return Number(runQpdf(bytes, [`--password=${password}`, '--show-npages', 'IN']).toString()) > 0
  } catch {
    return false
  }
}

test.each([
  { algorithm: 'aes256', method: 'AESv3', userPassword: 'geheim' },
  { algorithm: 'aes256', method: 'AESv3', userPassword: 'Šifra 日本' },
  { algorithm: 'aes256', method: 'AESv3', userPassword: '--help' },
  { algorithm: 'aes128', method: 'AESv2', userPassword: 'geheim' },
])('encrypts by $algorithm with "$userPassword"', async ({ algorithm, method, userPassword }) => {
  const { bytes, result, warnings } = await runEncrypt({ file: plainPdf(2), userPassword, algorithm })
  expect(showEncryption(bytes, userPassword)).toContain(`file encryption method: ${method}`)
  expect(['wrong', '', userPassword].map(word => canOpenWith(bytes, word))).toEqual([false, false, true])
  expect(result).toMatchObject({ encrypted: true, algorithm })
  expect(warnings).toEqual([])
})

test('applies restrictions to a document that opens without a password', async () => {
  const permissions = { print: 'low', copy: false, modify: false, annotate: true, fillForms: true, assemble: false }
  const { bytes } = await runEncrypt({ file: plainPdf(1), ownerPassword: 'mine', permissions })
  const shown = showEncryption(bytes, '')
  expect(shown).toContain('extract for any purpose: not allowed')
  expect(shown).toContain('print low resolution: allowed')
  expect(shown).toContain('print high resolution: not allowed')
  expect(shown).toContain('modify document assembly: not allowed')
  expect(shown).toContain('modify forms: allowed')
  expect(shown).toContain('modify other: not allowed')
})

test('normalizes equivalent characters in passwords', async () => {
  const { bytes } = await runEncrypt({ file: plainPdf(1), userPassword: 'cafe\u0301\u00a0x' })
  expect(canOpenWith(bytes, 'caf\u00e9 x')).toBe(true)
  expect(canOpenWith(bytes, 'cafe x')).toBe(false)
})

test('removes protection and replaces an old one', async () => {
  const weak = ['--allow-weak-crypto', '--encrypt', 'old', 'owner', '128', '--use-aes=n', '--', 'IN', 'OUT']
  const file = runQpdf(plainPdf(2), weak)
  const opened = await runEncrypt({ file, action: 'decrypt', password: 'old' })
  expect(new PdfReader(opened.bytes).widths).toEqual([100, 101])
  expect(opened.result).toMatchObject({ encrypted: false })
  expect(opened.warnings).toEqual([])
  const changed = await runEncrypt({ file, password: 'old', userPassword: 'new' })
  expect(showEncryption(changed.bytes, 'new')).toContain('AESv3')
  expect(['old', 'new'].map(word => canOpenWith(changed.bytes, word))).toEqual([false, true])
  await expect(runEncrypt({ file, action: 'decrypt' })).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
})

const XMP =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
  '<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">' +
  '<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance></rdf:Description></rdf:RDF></x:xmpmeta>'

test('removes the PDF/A claim of an encrypted document', async () => {
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /Metadata 4 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
    `<< /Type /Metadata /Subtype /XML /Length ${XMP.length} >>\nstream\n${XMP}\nendstream`,
  ])
  const { bytes, warnings } = await runEncrypt({ file, userPassword: 'x' })
  expect(warnings).toEqual(['PDFA_LOST'])
  const plain = runQpdf(bytes, [
    '--password=x',
    '--decrypt',
    '--stream-data=uncompress',
    '--object-streams=disable',
    'IN',
    'OUT',
  ])
  expect(plain.toString('latin1')).toContain('xmpmeta')
  expect(plain.toString('latin1')).not.toContain('<pdfaid:part>')
})

test.each([
  { body: {}, code: 'PASSWORD_MISSING' },
  { body: { userPassword: 'a', permissions: { print: 'none' } }, code: 'WEAK_PASSWORD' },
  { body: { userPassword: 'a', ownerPassword: 'a', permissions: { copy: false } }, code: 'WEAK_PASSWORD' },
  { body: { userPassword: '日本', algorithm: 'aes128' }, code: 'INVALID_PARAM' },
  { body: { userPassword: 'a\nb' }, code: 'INVALID_PARAM' },
  { body: { action: 'decrypt' }, code: 'NOT_ENCRYPTED' },
  { body: { action: 'decrypt', userPassword: 'x' }, code: 'CONFLICTING_OPTIONS' },
])('rejects $body as $code', async ({ body, code }) => {
  await expect(runEncrypt({ file: plainPdf(1), ...body })).rejects.toMatchObject({ code })
})

test('rejects documents encrypted for certificates', async () => {
  const file = buildPdf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
      '<< /Filter /Adobe.PubSec /SubFilter /adbe.pkcs7.s5 /V 4 /Recipients [<00>] >>',
    ],
    '/Encrypt 4 0 R /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]',
  )
  await expect(runEncrypt({ file, action: 'decrypt' })).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' })
})

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTimestampAuthority } from '../../../ops/providers/timestamp/rfc3161.ts'
import type { Pools } from '../../../pools/index.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { CertificateAuthority, runPdfsig } from '../../support/pdf/certificates.ts'
import { buildPdf, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools, testPools } from '../../support/pools/open.ts'

const LETTER = readFileSync('tasks/samples/letter.pdf')
const EC = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

let folder: Awaited<ReturnType<typeof freshFolder>>
let authority: CertificateAuthority
let pools: Pools & AsyncDisposable
let stampingPools: Pools & AsyncDisposable
let reply: (query: Buffer) => Buffer
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk as Buffer)).on('end', () => response.end(reply(Buffer.concat(chunks))))
})
beforeAll(async () => {
  folder = await freshFolder()
  authority = new CertificateAuthority(folder.path)
  authority.issue('rsa', ['rsa', '-pkeyopt', 'rsa_keygen_bits:2048'])
  authority.issue('ec', EC)
  authority.issue('tsa', EC, { extensions: 'stamping' })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  pools = await sharedPools()
  stampingPools = await testPools({ timestamps: openTimestampAuthority(url) })
})
afterAll(async () => {
  await Promise.all([pools[Symbol.asyncDispose](), stampingPools[Symbol.asyncDispose]()])
  server.close()
  await folder[Symbol.asyncDispose]()
})

const sign = (body: Record<string, unknown>, with_ = pools) => runJob(with_, 'pdf.sign', body)
const pem = (name: string) => ({
  key: authority.read(`${name}.key`).toString(),
  certificate: authority.read(`${name}.pem`),
})
const isValid = (bytes: Uint8Array) => expect(runPdfsig(folder.path, bytes)).toContain('Signature is Valid')

test.each(['rsa', 'ec'])('signs with a key and certificate in PEM: %s', async name => {
  const { result, bytes } = await sign({ file: LETTER, ...pem(name), reason: 'Approved', digest: 'SHA-512' })
  isValid(bytes)
  expect(runPdfsig(folder.path, bytes)).toContain('SHA-512')
  expect(result).toMatchObject({ level: 'B-B', signer: { commonName: name, issuer: 'Test root' } })
  expect(bytes.subarray(0, LETTER.length).equals(LETTER)).toBe(true)
})

test('opens PKCS#12 files of today and of former times, and encrypted keys', async () => {
  for (const options of [[], ['-legacy']]) {
    const pkcs12 = authority.exportPkcs12('ec', 'geheim', options)
    isValid((await sign({ file: LETTER, pkcs12, keyPassword: 'geheim' })).bytes)
    await expect(sign({ file: LETTER, pkcs12, keyPassword: 'x' })).rejects.toMatchObject({
      ...{ code: 'KEY_INVALID', hints: { field: 'keyPassword' } },
    })
  }
})

test('keeps earlier signatures valid and fills an empty field', async () => {
  const empty = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R] >>',
    '<< /FT /Sig /T (Second) /Type /Annot /Subtype /Widget /Rect [0 0 0 0] /P 3 0 R >>',
  ])
  const first = await sign({ file: empty, ...pem('ec'), field: 'First' })
  const second = await sign({ file: first.bytes, ...pem('rsa'), field: 'Second' })
  const report = runPdfsig(folder.path, second.bytes)
  expect(report.match(/Signature is Valid/g)).toHaveLength(2)
  await expect(sign({ file: second.bytes, ...pem('ec'), field: 'First' })).rejects.toMatchObject({
    code: 'FIELD_VALUE_INVALID',
  })
})

test('adds the time of an authority', async () => {
  reply = query => authority.stamp(query)
  const { bytes, result } = await sign({ file: LETTER, ...pem('ec'), level: 'B-T' }, stampingPools)
  isValid(bytes)
  expect(result.level).toBe('B-T')
  const checked = await runJob(pools, 'pdf.verify-signatures', {
    file: bytes,
    trust: [authority.root],
    trustStore: 'none',
  })
  const [signature] = checked.result.signatures as { timestamp?: string; trust: string; integrity: string }[]
  expect(signature).toMatchObject({ integrity: 'valid', trust: 'trusted', timestamp: expect.stringMatching(/^\d{4}-/) })
})

test.each([
  { title: 'refuses', answer: Buffer.from('30053003020102', 'hex') },
  { title: 'answers nonsense', answer: Buffer.from('<html>') },
  { title: 'answers nothing', answer: Buffer.alloc(0) },
])('reports an authority that $title', async ({ answer }) => {
  reply = () => answer
  await expect(sign({ file: LETTER, ...pem('ec'), level: 'B-T' }, stampingPools)).rejects.toMatchObject({
    code: 'PROVIDER_UNAVAILABLE',
  })
})

test('has no timestamps without an authority', async () => {
  await expect(sign({ file: LETTER, ...pem('ec'), level: 'B-T' })).rejects.toMatchObject({
    code: 'PROVIDER_NOT_CONFIGURED',
    hints: { capability: 'timestamp' },
  })
})

test('signs an encrypted document without its protection', async () => {
  const file = runQpdf(LETTER, ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  const { bytes, warnings } = await sign({ file, password: 'geheim', ...pem('ec') })
  isValid(bytes)
  expect(warnings).toEqual(['ENCRYPTION_REMOVED'])
})

test('refuses keys that do not fit and calls without a key', async () => {
  const { key } = pem('rsa')
  const { certificate } = pem('ec')
  const refused = (body: Record<string, unknown>, code: string) =>
    expect(sign({ file: LETTER, ...body })).rejects.toMatchObject({ code })
  await refused({ key, certificate }, 'KEY_INVALID')
  await refused({ key: 'not a key', certificate }, 'KEY_INVALID')
  await refused({ key, certificate: LETTER }, 'CERTIFICATE_INVALID')
  await refused({ key: authority.read('root.key').toString(), certificate: authority.root }, 'KEY_TYPE')
  await refused({ pkcs12: LETTER, keyPassword: 'x' }, 'KEY_INVALID')
  await refused({}, 'MISSING_FIELD')
  await refused({ key }, 'MISSING_FIELD')
  await refused({ certificate }, 'MISSING_FIELD')
  await refused({ pkcs12: certificate, key }, 'CONFLICTING_OPTIONS')
  await refused({ file: LETTER.subarray(0, 200), ...pem('ec') }, 'PDF_PARSE_FAILED')
})

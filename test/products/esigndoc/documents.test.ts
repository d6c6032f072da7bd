import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { html } from '../../../api/pages/parts/html.ts'
import { openMailServer } from '../../support/mail/server.ts'
import { buildPdf, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { orderForm } from '../../support/pdf/forms.ts'
import { scanPdf } from '../../support/pdf/scans.ts'
import { sha256 } from '../../support/signing/engine.ts'
import { type EnvelopeApi, inspectPdf, openEnvelopeApi, openSender, openSigner, SIGNATURE, tokenOf } from './parts.ts'

let home: EnvelopeApi
let mail: Awaited<ReturnType<typeof openMailServer>>
let owner: Awaited<ReturnType<typeof openSender>>
beforeAll(async () => {
  mail = await openMailServer()
  home = await openEnvelopeApi({ SMTP_URL: mail.url })
  owner = await openSender(home, 20_000_000n)
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

const inline = (bytes: Uint8Array) => ({ inline: Buffer.from(bytes).toString('base64') })
const IDA = { name: 'Ida Brandt', delivery: 'link' }

const CERTIFIED = [
  '<< /Type /Catalog /Pages 2 0 R /Perms << /DocMDP 4 0 R >> >>',
  '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
  '<< /Type /Sig >>',
]
const lock = (password: string) => async () =>
  runQpdf(await readFile('tasks/samples/letter.pdf'), ['--encrypt', password, 'owner', '256', '--', 'IN', 'OUT'])

const REFUSED: [what: string, make: () => Promise<Uint8Array> | Uint8Array, code: string][] = [
  ['locked', lock('secret'), 'PDF_ENCRYPTED'],
  ['restricted', lock(''), 'PDF_ENCRYPTED'],
  ['signed before', () => readFile('tasks/samples/signed.pdf'), 'PDF_ALREADY_SIGNED'],
  ['certified', () => buildPdf(CERTIFIED), 'PDF_ALREADY_SIGNED'],
  ['an XFA form', () => orderForm({ form: '/XFA [(template) 6 0 R]' }), 'PDF_XFA_UNSUPPORTED'],
  ['broken', () => Buffer.from('%PDF-1.7\nnothing more'), 'PDF_PARSE_FAILED'],
  ['an image', () => readFile('tasks/samples/gradient.png'), 'UNSUPPORTED_FORMAT'],
]

test('a document that no seal can keep is refused with one sentence, before anything is charged', async () => {
  const before = await owner.money()
  for (const [what, make, code] of REFUSED) {
    const body = { file: inline(await make()), recipients: [IDA], fields: [SIGNATURE] }
    const answer = await owner.call('POST', '/v1/esigndoc/envelopes', body)
    expect([what, answer.body.code], JSON.stringify(answer.body)).toEqual([what, code])
    expect(answer.body.error).toMatch(/^[A-Z].{20,200}\.$/)
    expect((await owner.call('POST', '/v1/esigndoc/envelopes', { ...body, dryRun: true })).body.code).toBe(code)
  }
  expect(await owner.money()).toEqual(before)
})

const ODD: [what: string, make: () => Promise<Uint8Array> | Uint8Array, page: number][] = [
  ['turned and cropped', () => plainPdf(1, { width: 400, page: '/Rotate 270 /CropBox [50 20 350 180]' }), 1],
  ['a scan without text', () => scanPdf([{ text: 'Nothing to read', x: 20, y: 40 }]), 1],
  ['a form with values', () => orderForm({ name: '/V (Ayse)' }), 1],
  ['of 500 pages', () => plainPdf(500, { width: 400 }), -1],
]

test.each(ODD)('a document that is %s is shown to its signer, signed, and valid', async (_what, make, page) => {
  const made = await owner.send({ file: inline(await make()), recipients: [IDA], fields: [{ ...SIGNATURE, page }] })
  const signer = openSigner(home, tokenOf(made, IDA.name))
  const shown = await home.api.app.inject(`/sign/${signer.token}`)
  expect([shown.statusCode, shown.body.includes('class="leaf"')]).toEqual([200, true])
  const image = await home.withWorker(home.api.app.inject(`/sign/${signer.token}/page/0/1?w=800`))
  expect([image.statusCode, image.headers['content-type']]).toEqual([200, 'image/webp'])
  expect((await signer.complete({ signature: { mode: 'type', data: 'Ida Brandt' } })).status).toBe(200)
  await home.work()
  const download = await home.api.app.inject({ url: `/sign/${signer.token}/document` })
  expect(download.statusCode).toBe(200)
  const { signatures, text } = await inspectPdf(download.rawPayload)
  expect(signatures).toContain('Signature is Valid')
  expect(text).toContain('Ida Brandt')
})

const NAMES = [
  ...['Zoë Çelik-Núñez', '山田 太郎', '김철수', 'أحمد عبد الله', 'דוד לוי', 'अनिल कुमार'],
  ...['Ђорђе Петровић', 'Νίκος Παπάς', 'สมชาย ใจดี', '<b>O’Neill & "Co"</b>'],
]

/** What a mail says, whatever its encoding. */
function readMail(text: string): string {
  const body = text.slice(text.indexOf('\n\n') + 2)
  if (/^Content-Transfer-Encoding: base64$/im.test(text)) return Buffer.from(body, 'base64').toString()
  const bytes = body
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

const letters = (text: string) => text.normalize('NFKC').replaceAll(/[\s\p{Cf}\p{M}\u{fffd}]/gu, '')

test('names of every script are right in mails, on the page, and on the certificate', async () => {
  const recipients = NAMES.map((name, index) => ({ name, email: `n${index}@example.com`, delivery: 'email' }))
  const fields = NAMES.map((_, recipient) => ({ ...SIGNATURE, recipient, y: 5 + recipient * 8 }))
  const file = inline(await readFile('tasks/samples/letter.pdf'))
  const made = await owner.send({ file, title: 'Договор 契約', recipients, fields })
  await home.work()
  const mails = mail.mails.map(readMail)
  for (const name of NAMES) {
    expect(
      mails.filter(one => one.includes(name)),
      name,
    ).toHaveLength(1)
    const signer = openSigner(home, tokenOf(made, name))
    expect((await home.api.app.inject(`/sign/${signer.token}`)).body).toContain(html`${name}`.text)
    expect((await signer.complete({ signature: { mode: 'type', data: name } })).status).toBe(200)
  }
  await home.work()
  const { body } = await owner.call('GET', `/v1/esigndoc/envelopes/${made.id}/signed-document`)
  const { signatures, text } = await inspectPdf(Buffer.from(body.output.inline, 'base64'))
  expect(signatures).toContain('Signature is Valid')
  const printed = letters(text)
  for (const name of NAMES)
    expect(printed.includes(letters(name)) || printed.includes([...letters(name)].reverse().join('')), name).toBe(true)
})

function countPages(bytes: Buffer): number {
  return Number(/^Pages: +(\d+)$/m.exec(execFileSync('pdfinfo', ['-'], { input: bytes, encoding: 'utf8' }))![1])
}

test('the hash of a document is that of what is signed, whose pages are counted, also on the certificate', async () => {
  const letter = await readFile('tasks/samples/letter.pdf')
  const made = await owner.send({ file: inline(letter), recipients: [IDA], autoPlaceSignature: { style: 'page' } })
  const at = `/v1/esigndoc/envelopes/${made.id}/download?version=`
  const download = async (version: string) =>
    (await home.api.app.inject({ url: at + version, headers: owner.headers })).rawPayload
  const [given, signed] = [await download('original'), await download('current')]
  expect(given.equals(letter)).toBe(true)
  expect([countPages(given), countPages(signed)]).toEqual([2, 3])
  const files = [{ name: 'document.pdf', sha256: sha256(signed), originalSha256: sha256(given), pages: 3 }]
  expect(made).toMatchObject({ pages: 3, files })
  await openSigner(home, tokenOf(made, IDA.name)).complete()
  await home.work()
  const { text } = await inspectPdf(await download('signed'))
  expect(letters(text)).toContain(sha256(signed))
  expect(text).toContain('3 pages')
})

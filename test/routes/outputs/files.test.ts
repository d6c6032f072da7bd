import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNoisyPng, encodePng } from '../../support/images/png.ts'
import { PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import type { Answer } from '../../support/stack/client.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Stack } from '../../support/stack/start.ts'

let stack: Stack
beforeAll(async () => {
  stack = await openDefaultStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

const ROTATE = '/v1/pdf/rotate'
const RESIZE = '/v1/image/resize'
const PDF = { 'content-type': 'application/pdf' }
const inline = (bytes: Uint8Array) => ({ inline: Buffer.from(bytes).toString('base64') })
const chargeOf = ({ headers }: Answer) => headers.get('x-service-charged-micros')
const moneyOf = (micros: bigint) => ({ balance: micros, held: 0n })

async function download(answer: Answer): Promise<Buffer> {
  const { pathname, search } = new URL(answer.body.output.outputUrl)
  return Buffer.from(await (await fetch(stack.url + pathname + search)).arrayBuffer())
}

test('a call is charged by the content of its file, and its output is returned inline and by address', async () => {
  const customer = await stack.customer()
  const answer = await customer.post(ROTATE, { file: inline(plainPdf(5)), degrees: '90', pages: '1-3' })
  expect([answer.status, chargeOf(answer), answer.body.rotatedPages]).toEqual([200, '3000', 3])
  const bytes = Buffer.from(answer.body.output.inline, 'base64')
  expect(await download(answer)).toEqual(bytes)
  expect(new PdfReader(bytes).pages).toHaveLength(5)
  expect(await customer.money()).toEqual(moneyOf(997_000n))
})

test('a price that depends on the content is quoted exactly, without running or charging anything', async () => {
  const customer = await stack.customer()
  const body = { file: inline(plainPdf(7)), degrees: '180', dryRun: true }
  const answer = await customer.post(ROTATE, body)
  expect(answer.body.quote).toMatchObject({ amountMicros: '7000', unit: 'rotated page', units: 7 })
  expect(chargeOf(answer)).toBe('0')
  const raw = await customer.post(`${ROTATE}?degrees=90&dryRun=true`, plainPdf(2), PDF)
  expect(raw.body.quote).toMatchObject({ amountMicros: '2000', units: 2 })
  const wrong = await customer.post(ROTATE, { ...body, pages: '8' })
  expect([wrong.status, wrong.body.code]).toEqual([422, 'BAD_RANGE'])
  expect(await customer.money()).toEqual(moneyOf(1_000_000n))
  expect((await customer.get('/v1/account/ledger?type=charge')).body.data).toEqual([])
})

test('a balance that covers the lowest price but not the file returns 402 with the exact price', async () => {
  const customer = await stack.customer(3_000n)
  const answer = await customer.post(ROTATE, { file: inline(plainPdf(5)), degrees: '90' })
  expect(answer.status).toBe(402)
  expect(answer.body).toMatchObject({
    error: 'PAYMENT_REQUIRED',
    code: 'INSUFFICIENT_BALANCE',
    amountMicros: '5000',
    balanceMicros: '3000',
  })
  expect(answer.headers.get('payment-required')).toMatch(/^[\w+/=]+$/)
  expect(await customer.money()).toEqual(moneyOf(3_000n))
})

test('a balance below the lowest price also gets the exact price, and a broken file is reported as such', async () => {
  const customer = await stack.customer(10n)
  const answer = await customer.post(ROTATE, { file: inline(plainPdf(5)), degrees: '90' })
  expect([answer.status, answer.body]).toEqual([
    402,
    expect.objectContaining({ code: 'INSUFFICIENT_BALANCE', amountMicros: '5000', balanceMicros: '10' }),
  ])
  const broken = await customer.post(ROTATE, { file: inline(Buffer.from('%PDF-1.7 nothing')), degrees: '90' })
  expect([broken.status, broken.body.code]).toEqual([422, 'PDF_PARSE_FAILED'])
  expect(await customer.money()).toEqual(moneyOf(10n))
})

test('a raw body is accepted, and raw bytes are returned with the cost in a header', async () => {
  const customer = await stack.customer()
  const path = `${RESIZE}?width=20&format=webp`
  const accepting = { 'content-type': 'image/png', accept: 'image/webp' }
  const answer = await fetch(stack.url + path, {
    method: 'POST',
    headers: { ...accepting, authorization: `Bearer ${customer.key}` },
    body: new Uint8Array(createNoisyPng(40)),
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/webp'])
  expect(answer.headers.get('x-service-charged-micros')).toBe('1000')
  expect(
    Buffer.from(await answer.arrayBuffer())
      .subarray(8, 12)
      .toString(),
  ).toBe('WEBP')
})

test('the output of one call can be the input of the next, for its owner only', async () => {
  const [customer, otherCustomer] = [await stack.customer(), await stack.customer()]
  const first = await customer.post(ROTATE, { file: inline(plainPdf(2)), degrees: '90', inlineOutput: 'never' })
  expect(first.body.output.inline).toBeUndefined()
  const source = { inputKey: first.body.output.outputKey }
  const next = await customer.post(ROTATE, { file: source, degrees: '90' })
  expect([next.status, chargeOf(next)]).toEqual([200, '2000'])
  const stolen = await otherCustomer.post(ROTATE, { file: source, degrees: '90' })
  const unknownKey = await otherCustomer.post(ROTATE, {
    file: { inputKey: `${source.inputKey.slice(0, -4)}0000` },
    degrees: '90',
  })
  expect([stolen.status, stolen.text]).toEqual([404, unknownKey.text])
  expect(await otherCustomer.money()).toEqual(moneyOf(1_000_000n))
})

const GRADIENT = readFileSync(new URL('../../../tasks/samples/gradient.png', import.meta.url))
const JPEG = Buffer.from([
  0xff,
  0xd8,
  0xff,
  0xe0,
  0,
  16,
  ...Buffer.from('JFIF\0'),
  1,
  1,
  0,
  0,
  1,
  0,
  1,
  0,
  0,
  0xff,
  0xdb,
])

test.each<[string, string, object, string]>([
  ['a PNG sent to pdf/rotate', ROTATE, { file: inline(GRADIENT), degrees: '90' }, 'PDF_PARSE_FAILED'],
  ['a PDF cut in half', ROTATE, { file: inline(Buffer.from('%PDF-1.7\n1 0 obj')), degrees: '90' }, 'PDF_PARSE_FAILED'],
  ['a PDF sent to image/resize', RESIZE, { file: inline(plainPdf(1)), width: 10 }, 'UNSUPPORTED_FORMAT'],
  ['a truncated PNG', RESIZE, { file: inline(createNoisyPng(60).subarray(0, 900)), width: 10 }, 'IMAGE_DECODE_FAILED'],
  ['a JPEG without an image', RESIZE, { file: inline(JPEG), width: 10 }, 'IMAGE_DECODE_FAILED'],
  ['30,000 by 30,000 pixels', RESIZE, { file: inline(buildBomb()), width: 10 }, 'TOO_MANY_PIXELS'],
  ['a PDF that needs a password', ROTATE, { file: inline(encryptPdf()), degrees: '90' }, 'PDF_PASSWORD_REQUIRED'],
  [
    'the wrong password',
    ROTATE,
    { file: inline(encryptPdf()), degrees: '90', password: 'no' },
    'PDF_PASSWORD_INCORRECT',
  ],
  ['a page that does not exist', ROTATE, { file: inline(plainPdf(2)), degrees: '90', pages: '3' }, 'BAD_RANGE'],
])('%s is a specific 422 without a charge', async (_name, path, body, code) => {
  const customer = await stack.customer()
  const answer = await customer.post(path, body)
  expect([answer.status, answer.body.code]).toEqual([422, code])
  expect(await customer.money()).toEqual(moneyOf(1_000_000n))
})

test('the right password opens a PDF', async () => {
  const customer = await stack.customer()
  const answer = await customer.post(ROTATE, { file: inline(encryptPdf()), degrees: '90', password: 'open' })
  expect([answer.status, chargeOf(answer)]).toEqual([200, '2000'])
})

/** A few kilobytes that claim to have 900 megapixels. */
function buildBomb(): Buffer {
  return encodePng(30_000, 30_000, deflateSync(Buffer.alloc(2 ** 20)))
}

function encryptPdf(): Buffer {
  return runQpdf(plainPdf(2), ['--encrypt', 'open', 'owner', '256', '--', 'IN', 'OUT'])
}

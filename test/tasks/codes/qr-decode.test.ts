import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { parseContent } from '../../../tasks/codes/qr-decode/content.ts'
import { formatPayload } from '../../../tasks/formats/qr/payload.ts'
import { runOperation } from '../../support/operations/run.ts'
import { buildPdf, pdfStream, plainPdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

interface Code {
  format: string
  text: string
  bytes: string
  isInverted: boolean
  orientation: number
  position: { x: number; y: number }[]
  parsed?: { kind: string }
}
interface Decoded {
  count: number
  codes: Code[]
  image: { width: number; height: number }
}

const decode = async (file: Uint8Array, body = {}) =>
  (await runJob(pools, 'codes.qr-decode', { file, ...body })).result as unknown as Decoded

async function generate(operation: string, body: object): Promise<Buffer> {
  return Buffer.from((await runOperation(operation, body)).output!.bytes!)
}

test.each(['png', 'jpeg', 'webp', 'gif', 'tiff', 'avif'] as const)('reads a code in a %s', async format => {
  const file = await sharp(await generate('codes.qr', { text: 'hällo' }))
    .toFormat(format)
    .toBuffer()
  const { count, codes, image } = await decode(file)
  expect(count).toBe(1)
  expect(codes[0]).toMatchObject({ format: 'QRCode', text: 'hällo', isInverted: false })
  expect(Buffer.from(codes[0]!.bytes, 'base64').toString()).toBe('hällo')
  expect(codes[0]!.position).toHaveLength(4)
  expect(image.width).toBe(image.height)
})

test('reads several codes, rotated, with an orientation tag and in a large image', async () => {
  const one = await sharp(await generate('codes.qr', { text: 'one', size: 300 }))
    .rotate(37, { background: '#fff' })
    .toBuffer()
  const two = await generate('codes.barcode', { type: 'code128', text: 'TWO-2' })
  const file = await sharp({ create: { width: 3500, height: 2500, channels: 3, background: '#ffffff' } })
    .composite([
      { input: one, left: 200, top: 300 },
      { input: two, left: 1500, top: 1500 },
    ])
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const { codes, image } = await decode(file)
  expect(codes.map(({ text }) => text).sort()).toEqual(['TWO-2', 'one'])
  expect(image).toEqual({ width: 2500, height: 3500 })
  expect((await decode(file, { max: 1 })).count).toBe(1)
  expect((await decode(file, { formats: ['QRCode'] })).codes.map(({ text }) => text)).toEqual(['one'])
})

test('reads an inverted code, and reports that it is inverted', async () => {
  const file = await sharp(await generate('codes.qr', { text: 'x' }))
    .toColourspace('srgb')
    .negate({ alpha: false })
    .png()
    .toBuffer()
  expect((await decode(file)).codes).toMatchObject([{ text: 'x', isInverted: true }])
  expect((await decode(file, { tryHarder: false })).count).toBe(0)
})

test('returns no codes for an image without any', async () => {
  expect(
    await decode(
      await sharp({ create: { width: 50, height: 40, channels: 3, background: '#fff' } })
        .png()
        .toBuffer(),
    ),
  ).toEqual({
    count: 0,
    codes: [],
    image: { width: 50, height: 40 },
  })
})

test.each([
  { title: 'as it stands', entries: '', pages: [1] },
  { title: 'on a page that is turned', entries: '/Rotate 270', pages: [1] },
  { title: 'on a later page', entries: '', pages: [0, 0, 1] },
])('reads a code in a PDF $title', async ({ entries, pages }) => {
  const code = await sharp(await generate('codes.qr', { text: 'https://own.example/x' }))
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height } = code.info
  const [contents, image] = [pages.length + 3, pages.length + 4]
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${at + 3} 0 R`).join(' ')}] /MediaBox [0 0 595 842] >>`,
    ...pages.map(
      hasCode =>
        `<< /Type /Page /Parent 2 0 R ${entries} ${hasCode ? `/Contents ${contents} 0 R /Resources << /XObject << /I ${image} 0 R >> >>` : ''} >>`,
    ),
    pdfStream('q 80 0 0 80 400 50 cm /I Do Q'),
    pdfStream(
      code.data.toString('latin1'),
      `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`,
    ),
  ])
  const found = await decode(file, { page: pages.length })
  expect(found.codes).toMatchObject([{ format: 'QRCode', text: 'https://own.example/x', parsed: { kind: 'url' } }])
  if (pages.length > 1) expect((await decode(file)).count).toBe(0)
})

test('reads the requested page of a PDF', async () => {
  expect((await decode(plainPdf(2), { page: 2 })).count).toBe(0)
  await expect(decode(plainPdf(2), { page: 3 })).rejects.toMatchObject({ code: 'BAD_RANGE' })
  await expect(decode(Buffer.from('%PDF-1.7\nnothing'))).rejects.toMatchObject({ code: 'PDF_PARSE_FAILED' })
})

test('rejects images that are too large or broken', async () => {
  const large = await sharp({ create: { width: 9000, height: 9000, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
  await expect(decode(large)).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
  const file = await generate('codes.qr', { text: 'x' })
  await expect(decode(file.subarray(0, 100))).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
  await expect(decode(Buffer.from('BM'))).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
})

test.each([
  { kind: 'wifi', ssid: 'a;b', password: 'c\\d' },
  { kind: 'tel', tel: '+1' },
  { kind: 'sms', to: '+1', body: 'a:b' },
  { kind: 'email', to: 'a@b.de', subject: 'x y' },
  { kind: 'geo', lat: 1.5, lng: -2 },
  { kind: 'mecard', name: 'A;B', tel: '1' },
  { kind: 'vcard', name: 'A; B', org: 'C', note: 'x\ny' },
  { kind: 'event', summary: 'x', start: '20260102' },
  { kind: 'epc', name: 'A', iban: 'DE89370400440532013000', amount: 1.5, remittance: 'r' },
  { kind: 'otpauth', secret: 'ABCDEFGH', label: 'a@b', type: 'totp' },
  { kind: 'eip681', to: `0x${'a'.repeat(40)}` },
  { kind: 'url', url: 'https://x.org' },
])('recognises %j', data => {
  expect(parseContent(formatPayload(data as never))).toMatchObject(data)
})

test('does not classify plain text', () => {
  expect(parseContent('just text')).toBeUndefined()
  expect(parseContent('WIFI:')).toEqual({ kind: 'wifi' })
  expect(parseContent('mailto:%zz')).toMatchObject({ to: '%zz' })
})

test.each([
  ['upca', '036000291452', undefined, { format: 'UPCA', text: '036000291452' }],
  ['upca', '036000291452', ['UPCA'], { format: 'UPCA', text: '036000291452' }],
  ['upca', '036000291452', ['EAN13'], { format: 'EAN13', text: '0036000291452' }],
  ['upce', '01234565', undefined, { format: 'UPCE', text: '01234565' }],
  ['ean13', '4006381333931', undefined, { format: 'EAN13', text: '4006381333931' }],
])('reads a %s of %s among %j as what it is', async (type, text, formats, code) => {
  const file = await generate('codes.barcode', { type, text, padding: 5 })
  const { codes } = await decode(file, { formats })
  expect(codes).toMatchObject([{ ...code, bytes: Buffer.from(code.text).toString('base64') }])
})

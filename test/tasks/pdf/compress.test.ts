import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { buildPdf, PdfReader, pdfStream, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { orderForm } from '../../support/pdf/forms.ts'
import { richPdf } from '../../support/pdf/rich-document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const SCAN = readFileSync('tasks/samples/scan.pdf')
const compress = (body: Record<string, unknown>) => runJob(pools, 'pdf.compress', body)
const render = (bytes: Uint8Array, type = '-gray') =>
  Buffer.from(runProgram('sh', ['-c', `pdftoppm -r 50 ${type} - | base64 -w0`], bytes), 'base64')

/** The mean difference of two renderings, from 0 to 1. */
function differ(one: Uint8Array, other: Uint8Array, type?: string): number {
  const [a, b] = [render(one, type), render(other, type)]
  expect(a.length).toBe(b.length)
  return a.reduce((sum, value, at) => sum + Math.abs(value - b[at]!), 0) / a.length / 255
}

const W = 640
const H = 480
/** Smooth shades with some noise, as a photograph has them. */
const SHADES = Buffer.from(
  Array.from({ length: W * H * 3 }, (_, at) => {
    const [x, y] = [Math.floor(at / 3) % W, Math.floor(at / 3 / W)]
    return Math.round(127 + 100 * Math.sin(x / 40 + (at % 3)) * Math.cos(y / 50) + ((at * 7919) % 13))
  }),
)
const photo = () => sharp(SHADES, { raw: { width: W, height: H, channels: 3 } })

function imageObject(head: string, data: Buffer): string {
  const kind = `/Type /XObject /Subtype /Image /Width ${W} /Height ${H}`
  return pdfStream(data.toString('latin1'), `${kind} ${head}`)
}

/** One image on 154 x 115 points: 300 dpi. */
function buildPage(...objects: string[]): Buffer {
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 150] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
    pdfStream('q 153.6 0 0 115.2 20 20 cm /I Do Q'),
    ...objects,
  ])
}

const listImages = (bytes: Uint8Array) =>
  runProgram('sh', ['-c', 'cat > in.pdf && pdfimages -list in.pdf && rm in.pdf'], bytes, '/tmp')
    .split('\n')
    .slice(2, -1)
    .map(row => row.trim().split(/\s+/))
    .map(([, , kind, width, height, color, , bits, encoding]) => ({
      kind,
      width: Number(width),
      height,
      color,
      bits,
      encoding,
    }))

const JPEG = await photo().jpeg({ quality: 95 }).toBuffer()
const CMYK = await photo().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer()

/** Groups of four bytes as five digits; the last group may be shorter. */
function encodeAscii85(bytes: Buffer): Buffer {
  let text = ''
  for (let at = 0; at < bytes.length; at += 4) {
    const part = bytes.subarray(at, at + 4)
    const value = Buffer.concat([part, Buffer.alloc(4 - part.length)]).readUInt32BE()
    const digits = [4, 3, 2, 1, 0]
      .map(power => String.fromCharCode(33 + (Math.floor(value / 85 ** power) % 85)))
      .join('')
    text += part.length === 4 && value === 0 ? 'z' : digits.slice(0, part.length + 1)
  }
  return Buffer.from(`${text.replace(/.{76}/g, '$&\n')}~>`)
}

const WRAPPED: { title: string; filters: string; data: Buffer; parms?: string }[] = [
  { title: 'a JPEG in ASCII85', filters: '/ASCII85Decode /DCTDecode', data: encodeAscii85(JPEG) },
  {
    title: 'a JPEG in hexadecimal digits by short names',
    filters: '/AHx /DCT',
    data: Buffer.from(`${JPEG.toString('hex')}>`),
  },
  {
    title: 'a deflated JPEG',
    filters: '/FlateDecode /DCTDecode',
    data: deflateSync(JPEG),
    parms: '/DecodeParms [<< /Predictor 1 >> null]',
  },
  {
    title: 'a deflated JPEG in ASCII85',
    filters: '/ASCII85Decode /FlateDecode /DCTDecode',
    data: encodeAscii85(deflateSync(JPEG)),
  },
]
const MASK = imageObject(
  '/BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /FlateDecode',
  deflateSync(Buffer.alloc(W * H, 200)),
)

test.each([
  {
    title: 'a JPEG',
    objects: [imageObject('/BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /DCTDecode', JPEG)],
    color: 'rgb',
  },
  {
    title: 'a CMYK JPEG',
    objects: [
      imageObject('/BitsPerComponent 8 /ColorSpace /DeviceCMYK /Filter /DCTDecode /Decode [1 0 1 0 1 0 1 0]', CMYK),
    ],
    color: 'cmyk',
  },
  ...WRAPPED.map(({ title, filters, data, parms = '' }) => ({
    title,
    objects: [imageObject(`/BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter [${filters}] ${parms}`, data)],
    color: 'rgb',
  })),
  {
    title: 'a deflated CMYK JPEG',
    objects: [
      imageObject(
        '/BitsPerComponent 8 /ColorSpace /DeviceCMYK /Filter [/FlateDecode /DCTDecode] /Decode [1 0 1 0 1 0 1 0]',
        deflateSync(CMYK),
      ),
    ],
    color: 'cmyk',
  },
  {
    title: 'deflated samples with a soft mask',
    objects: [
      imageObject('/BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /FlateDecode /SMask 6 0 R', deflateSync(SHADES)),
      MASK,
    ],
    color: 'rgb',
  },
])('reduces $title to the resolution of the level without another look', async ({ objects, color }) => {
  const file = buildPage(...objects)
  const { result, bytes, warnings } = await compress({ file })
  expect(result).toMatchObject({ unchanged: false, imagesTouched: 1, method: ['images', 'structure'] })
  expect(result.outputBytes).toBe(bytes.length)
  expect(bytes.length).toBeLessThan(file.length / 3)
  expect(listImages(bytes)[0]).toMatchObject({ width: W / 2, color, encoding: 'jpeg' })
  expect(differ(file, bytes, '')).toBeLessThan(0.02)
  expect(warnings).toEqual([])
})

test('takes resolution and quality from the caller and goes below them for a target', async () => {
  const file = buildPage(imageObject('/BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /DCTDecode', JPEG))
  const fine = await compress({ file, imageDpi: 200, jpegQuality: 90 })
  expect(listImages(fine.bytes)[0]!.width).toBe(427)
  const small = await compress({ file, level: 'low', targetBytes: 10_240 })
  expect(small.result).toMatchObject({ targetMet: true })
  expect(small.bytes.length).toBeLessThanOrEqual(10_240)
  const bitmap = buildPage(imageObject('/BitsPerComponent 16 /ColorSpace /DeviceRGB', Buffer.concat([SHADES, SHADES])))
  expect((await compress({ file: bitmap, targetBytes: 10_240 })).result).toMatchObject({ targetMet: false })
})

test('leaves wrapped JPEGs in their filters where another encoding saves nothing', async () => {
  const small = await photo().jpeg({ quality: 20, mozjpeg: true }).toBuffer()
  const head = '/BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter [/ASCII85Decode /DCTDecode]'
  const file = buildPage(imageObject(head, encodeAscii85(small)))
  const { result, bytes } = await compress({ file, level: 'low', linearize: false })
  expect(result.imagesTouched).toBe(0)
  expect(bytes.toString('latin1')).toMatch(/\/Filter \[ ?\/ASCII85Decode \/DCTDecode ?\]/)
})

test('leaves a JPEG that inflates to more than can be held', async () => {
  const head = '/BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter [/FlateDecode /DCTDecode]'
  const file = buildPage(imageObject(head, deflateSync(Buffer.concat([JPEG, Buffer.alloc(200 * 2 ** 20)]))))
  expect((await compress({ file })).result.imagesTouched).toBe(0)
})

test('keeps black-and-white scans black and white, without loss', async () => {
  const rows = Array.from({ length: H }, (_, y) => Buffer.alloc(W / 8, y % 40 < 8 ? 0x0f : 0xff))
  const bits = rows.map((row, y) =>
    Buffer.from(row.map((value, x) => (y % 40 < 8 ? value ^ ((x * y * 37) & 0x5a) : value))),
  )
  const file = buildPage(imageObject('/BitsPerComponent 1 /ColorSpace /DeviceGray', Buffer.concat(bits)))
  const { bytes } = await compress({ file, level: 'extreme' })
  expect(listImages(bytes)).toMatchObject([{ width: W, bits: '1' }])
  expect(differ(file, bytes)).toBe(0)
})

test('leaves masks by colour, indexed and broken images as they are', async () => {
  const samples = deflateSync(SHADES)
  const keyed = buildPage(
    imageObject('/BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /FlateDecode /Mask [0 9 0 9 0 9]', samples),
  )
  expect((await compress({ file: keyed })).result.imagesTouched).toBe(0)
  const short = buildPage(
    imageObject(
      '/BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /FlateDecode',
      deflateSync(SHADES.subarray(0, 999_9)),
    ),
  )
  expect((await compress({ file: short })).result.imagesTouched).toBe(0)
  const fake = buildPage(
    imageObject('/BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /DCTDecode', Buffer.alloc(5000, 7)),
  )
  expect((await compress({ file: fake })).result.imagesTouched).toBe(0)
})

test('returns the input for the lowest price if nothing makes it smaller', async () => {
  const once = await compress({ file: SCAN, linearize: false })
  const again = await compress({ file: once.bytes, linearize: false })
  expect(again.result).toMatchObject({ unchanged: true, saved: 0, method: [], imagesTouched: 0 })
  expect(again.bytes.equals(once.bytes)).toBe(true)
  expect([once.chargedMicros, again.chargedMicros]).toEqual([3000n, 1000n])
})

test('linearizes where the result stays smaller than the input', async () => {
  const { result, bytes } = await compress({ file: SCAN })
  expect(result.linearized).toBe(true)
  expect(runQpdf(bytes, ['--check-linearization', 'IN']).toString()).toContain('no linearization errors')
  expect((await compress({ file: plainPdf(20) })).result).toMatchObject({ unchanged: false, linearized: false })
})

test.each(['recommended', 'extreme'])('keeps fields, links, bookmarks, tags and layers at level %s', async level => {
  for (const file of [orderForm(), readFileSync('tasks/samples/bookmarked.pdf'), richPdf('rich')]) {
    const { result, bytes } = await compress({ file, level })
    const [before, after] = [new PdfReader(file), new PdfReader(bytes)]
    expect(result.outputBytes).toBeLessThanOrEqual(file.length)
    expect(after.fields.map(({ fullname }) => fullname)).toEqual(before.fields.map(({ fullname }) => fullname))
    expect(after.outline.map(({ title }) => title)).toEqual(before.outline.map(({ title }) => title))
    expect(after.pages.map(page => (page['/Annots'] as unknown[] | undefined)?.length)).toEqual(
      before.pages.map(page => (page['/Annots'] as unknown[] | undefined)?.length),
    )
    for (const key of ['/StructTreeRoot', '/OCProperties']) expect(key in after.catalog).toBe(key in before.catalog)
    expect(runProgram('pdftotext', ['-', '-'], bytes)).toBe(runProgram('pdftotext', ['-', '-'], file))
    expect(differ(file, bytes)).toBeLessThan(0.02)
  }
})

test('draws pages in shades of grey, turned and cropped ones too, and keeps what lies on them', async () => {
  const colored = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [50 40 250 190] /CropBox [60 50 240 180] /Rotate 90 /Contents 4 0 R /Annots [5 0 R] >>',
    pdfStream('1 0 0 rg 70 60 60 40 re f 0 0 1 rg 150 120 40 30 re f 0 0.5 0 RG 8 w 60 50 m 240 180 l S'),
    '<< /Type /Annot /Subtype /Link /Rect [70 60 130 100] /Border [0 0 0] /A << /S /URI /URI (https://example.com) >> >>',
  ])
  for (const file of [colored, orderForm()]) {
    const { result, bytes } = await compress({ file, grayscale: true })
    expect(result.method).toContain('redraw')
    expect(differ(file, bytes)).toBeLessThan(0.04)
    expect(new PdfReader(bytes).fields.length).toBe(new PdfReader(file).fields.length)
    expect(new PdfReader(bytes).pages[0]!['/Annots']).toHaveLength(
      (new PdfReader(file).pages[0]!['/Annots'] as []).length,
    )
  }
  const { bytes } = await compress({ file: colored, grayscale: true })
  const pixels = render(bytes, '').subarray(20)
  for (let at = pixels.length % 3; at + 2 < pixels.length; at += 3) expect(pixels[at]).toBe(pixels[at + 1])
  expect((await compress({ file: richPdf('rich'), grayscale: true })).warnings).toEqual([
    'TAGS_REMOVED',
    'LAYERS_FLATTENED',
  ])
})

test('strips metadata on request', async () => {
  const file = runQpdf(plainPdf(2, { catalog: '/PieceInfo << /X << >> >>' }), ['IN', 'OUT'])
  const { result } = await compress({ file, stripMetadata: true })
  expect(result.method).toEqual(['metadata', 'structure'])
})

test('opens encrypted documents and refuses to break signatures', async () => {
  const file = runQpdf(SCAN, ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  expect((await compress({ file, password: 'geheim' })).warnings).toEqual(['ENCRYPTION_REMOVED'])
  await expect(compress({ file })).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
  const signed = plainPdf(20, { catalog: '/AcroForm << /SigFlags 3 /Fields [] >>' })
  await expect(compress({ file: signed })).rejects.toMatchObject({ code: 'PDF_SIGNED' })
  expect((await compress({ file: signed, allowBreakSignatures: true })).warnings).toEqual(['SIGNATURES_REMOVED'])
})

test.each([
  { title: 'an image', file: readFileSync('tasks/samples/gradient.png') },
  { title: 'a truncated document', file: SCAN.subarray(0, 300) },
])('rejects $title', async ({ file }) => {
  await expect(compress({ file })).rejects.toMatchObject({ code: 'PDF_PARSE_FAILED' })
})

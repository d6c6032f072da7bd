import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf, PdfReader, pdfStream, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
const drawText = (text: string, { x = 80, y = 700, size = 11, gray = 0 } = {}) =>
  `${gray} g BT /F ${size} Tf ${x} ${y} Td (${text}) Tj ET`

/** Pages in A4 that draw these contents; what is no text is a scan of the whole sheet. */
function buildPages(contents: readonly (string | Buffer)[], { catalog = '', page = '' } = {}): Buffer {
  const first = 4
  const kids = contents.map((_, index) => `${first + index * 3} 0 R`).join(' ')
  return buildPdf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Count ${contents.length} /Kids [${kids}] /MediaBox [0 0 595 842] >>`,
    FONT,
    ...contents.flatMap((content, index) => {
      const [stream, image] = [5 + index * 3, 6 + index * 3]
      const resources = `<< /Font << /F 3 0 R >> /XObject << /I ${image} 0 R >> >>`
      return [
        `<< /Type /Page /Parent 2 0 R /Contents ${stream} 0 R /Resources ${resources} ${page} >>`,
        pdfStream(typeof content === 'string' ? content : 'q 595 0 0 842 0 0 cm /I Do Q'),
        typeof content === 'string' ? 'null' : scanObject(content),
      ]
    }),
  ])
}

function scanObject(jpeg: Buffer): string {
  const kind = '/Type /XObject /Subtype /Image /Width 1240 /Height 1754'
  return pdfStream(jpeg.toString('latin1'), `${kind} /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /DCTDecode`)
}

/** A sheet in A4 at 150 dpi, of a shade for each place. */
function scan(shade: (x: number, y: number, noise: number) => number): Promise<Buffer> {
  const [width, height] = [1240, 1754]
  const pixels = Buffer.alloc(width * height)
  let seed = 7
  for (let at = 0; at < pixels.length; at += 1) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    pixels[at] = Math.max(0, Math.min(255, Math.round(shade(at % width, Math.floor(at / width), seed / 2 ** 30 - 1))))
  }
  return sharp(pixels, { raw: { width, height, channels: 1 } })
    .toColourspace('b-w')
    .jpeg({ quality: 80 })
    .toBuffer()
}

const remove = async (file: Uint8Array, more: Record<string, unknown> = {}) =>
  runJob(pools, 'pdf.pages', { file, action: 'delete-blank', ...more })
const removedOf = async (...contents: (string | Buffer)[]) =>
  (await remove(buildPages([drawText('A page that stays.'), ...contents]))).result.removed

test('removes pages that show nothing, and names them', async () => {
  const white = '1 g 0 0 595 842 re f'
  const pages = [drawText('one'), '', drawText('three'), white, drawText('hidden', { gray: 1 }), drawText('six')]
  const { result, units, bytes, warnings } = await remove(buildPages(pages))
  expect(result).toMatchObject({ pages: 3, removed: [2, 4, 5] })
  expect([units, warnings, new PdfReader(bytes).pages.length]).toEqual([6, [], 3])
})

test.each([
  { title: 'a page number', content: drawText('7', { x: 297, y: 20, size: 9 }) },
  { title: 'light grey words', content: drawText('draft', { gray: 0.85 }) },
  { title: 'a thin line', content: '0.25 w 100 400 m 130 400 l S' },
  { title: 'a white word on a dark page', content: `0.1 g 0 0 595 842 re f ${drawText('night', { gray: 1 })}` },
  { title: 'a dark page', content: '0.1 g 0 0 595 842 re f' },
  { title: 'a line along the edge of a label', content: '2 w 0 500 m 200 500 l S' },
  { title: 'a picture that cannot be decoded', content: Buffer.from('no picture') },
])('keeps $title', async ({ content }) => {
  expect(await removedOf(content)).toEqual([])
})

test.each([
  { title: 'noisy grey paper', shade: (_x: number, _y: number, noise: number) => 225 + 12 * noise },
  { title: 'paper that is very noisy', shade: (_x: number, _y: number, noise: number) => 215 + 40 * noise },
  {
    title: 'paper that gets darker to the spine',
    shade: (x: number, _y: number, noise: number) => 250 - x / 12 + noise,
  },
  { title: 'shadows along the edges', shade: (x: number, y: number) => (x < 20 || y > 1740 ? 20 : 240) },
  {
    title: 'specks of dust',
    shade: (x: number, y: number) => ((x % 97) + (y % 101) < 3 ? 30 : 245),
  },
])('removes the scan of an empty sheet with $title', async ({ shade }) => {
  expect(await removedOf(await scan(shade))).toEqual([2])
})

test('keeps the scan of a noisy sheet that bears a word', async () => {
  const bearsWord = (x: number, y: number) => y > 800 && y < 820 && x > 300 && x < 420 && x % 12 < 4
  const sheet = await scan((x, y, noise) => (bearsWord(x, y) ? 70 : 225 + 12 * noise))
  expect(await removedOf(sheet)).toEqual([])
})

test('takes as much ink for blank as the caller says', async () => {
  const holes = await scan((x, y) => ((x - 60) ** 2 + ((y % 900) - 400) ** 2 < 16 ** 2 ? 40 : 245))
  const file = buildPages([drawText('words '.repeat(12)), holes, drawText('2', { x: 297, y: 20 })])
  expect((await remove(file)).result.removed).toEqual([])
  expect((await remove(file, { threshold: 0.01 })).result.removed).toEqual([3])
  expect(await remove(file, { threshold: 1 }).catch(error => error.hints)).toMatchObject({ pageCount: 3 })
  expect((await remove(file, { threshold: 0.1 })).result.removed).toEqual([2, 3])
})

test('takes notes and turned and cropped pages as viewers show them', async () => {
  const note =
    '/Annots [<< /Type /Annot /Subtype /FreeText /Rect [100 100 300 200] /DA (/F 12 Tf 0 g) /Contents (a note) /C [1 1 0] >>]'
  expect((await remove(buildPages([''], { page: note }))).result.removed).toEqual([])
  const outside = [drawText('outside', { y: 800 }), drawText('inside', { y: 300 })]
  const cropped = buildPages(outside, { page: '/CropBox [0 0 595 500] /Rotate 90' })
  expect((await remove(cropped)).result.removed).toEqual([1])
})

test('returns a document without blank pages as it is', async () => {
  const signed = buildPages([drawText('signed')], { catalog: '/AcroForm << /SigFlags 3 /Fields [] >>' })
  const { bytes, result, warnings, units } = await remove(signed)
  expect([bytes.equals(signed), result.removed, warnings, units]).toEqual([true, [], [], 1])
  const both = buildPages([drawText('signed'), ''], { catalog: '/AcroForm << /SigFlags 3 /Fields [] >>' })
  expect((await remove(both)).warnings).toEqual(['SIGNATURES_REMOVED'])
})

test('opens an encrypted document and refuses one of blank pages only', async () => {
  const pages = buildPages([drawText('one'), ''])
  const locked = runQpdf(pages, ['--encrypt', 'word', 'o', '256', '--', 'IN', 'OUT'])
  expect(await remove(locked, { password: 'word' })).toMatchObject({
    result: { removed: [2] },
    warnings: ['ENCRYPTION_REMOVED'],
  })
  await expect(remove(plainPdf(3))).rejects.toMatchObject({
    code: 'NO_PAGES_LEFT',
    hints: { pageCount: 3, detail: 'all pages are blank' },
  })
})

test('looks at hundreds of pages', async () => {
  const pages = Array.from({ length: 120 }, (_, index) => (index % 2 === 0 ? drawText('front') : ''))
  const { result } = await remove(buildPages(pages))
  expect(result.removed).toEqual(Array.from({ length: 60 }, (_, index) => index * 2 + 2))
})

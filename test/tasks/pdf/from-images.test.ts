import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { PdfReader, plainPdf, qpdf } from '../../support/pdf.ts'
import { looksOf, withPdf } from '../../support/pdf-looks.ts'
import { runJob, testPools } from '../../support/pools.ts'
import { runProgram } from '../../support/programs.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const make = (files: Uint8Array[], body: object = {}) => runJob(pools, 'pdf.from-images', { files, ...body })
const gradient = readFileSync('test/samples/gradient.png')
const boxes = (bytes: Uint8Array) => new PdfReader(bytes).pages.map(page => page['/MediaBox'])
const embedded = (bytes: Uint8Array) => withPdf(bytes, file => runProgram('pdfimages', ['-list', file]))
const original = (bytes: Uint8Array) =>
  withPdf(bytes, (file, folder) => {
    runProgram('pdfimages', ['-j', file, `${folder}/p`])
    return readFileSync(`${folder}/p-000.jpg`)
  })

/** White with a black quarter at the top left. */
const corner = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'white' } }).composite([
    { input: { create: { width: width / 2, height: height / 2, channels: 3, background: 'black' } }, left: 0, top: 0 },
  ])

test('makes a page as large as each picture', async () => {
  const jpeg = await sharp(gradient).jpeg().withDensity(72).toBuffer()
  const { bytes, result, units } = await make([gradient, jpeg], { dpi: 72, title: 'Zwei Bilder' })
  expect([result.pages, units]).toEqual([2, 2])
  expect(boxes(bytes)).toEqual([
    [0, 0, 160, 120],
    [0, 0, 160, 120],
  ])
  expect(qpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax')
  expect(new PdfReader(bytes).info['/Title']).toBe('u:Zwei Bilder')
})

test('JPEG goes in byte for byte', async () => {
  const jpeg = await corner(40, 20).jpeg({ quality: 60 }).toBuffer()
  const { bytes } = await make([jpeg])
  expect(original(bytes).equals(jpeg)).toBe(true)
  expect(Object.keys(new PdfReader(bytes).info)).not.toContain('/Title')
  const anew = await make([jpeg], { quality: 5 })
  expect(original(anew.bytes).length).toBeLessThan(jpeg.length)
})

test.each([1, 2, 3, 4, 5, 6, 7, 8])('turns a photograph as its tag %s says', async orientation => {
  const jpeg = await corner(80, 40).jpeg().withMetadata({ orientation }).toBuffer()
  const upright = await sharp(jpeg).autoOrient().greyscale().raw().toBuffer({ resolveWithObject: true })
  const looks = looksOf((await make([jpeg], { dpi: 72 })).bytes)
  const { width, height } = upright.info
  expect([looks.width, looks.height]).toEqual([width, height])
  for (const [x, y] of [
    [0.25, 0.25],
    [0.75, 0.25],
    [0.25, 0.75],
    [0.75, 0.75],
  ] as const) {
    const spot = Math.floor(y * height) * width + Math.floor(x * width)
    expect(Math.abs(looks.at(x * width, y * height) - upright.data[spot]!)).toBeLessThan(20)
  }
})

test('keeps the colours of inks, palettes, greys, single bits and what shines through', async () => {
  const cmyk = await corner(40, 40).toColourspace('cmyk').jpeg().toBuffer()
  const palette = await corner(40, 40).png({ palette: true }).toBuffer()
  const grey = await corner(40, 40).toColourspace('b-w').png().toBuffer()
  const clear = await sharp({ create: { width: 40, height: 40, channels: 4, background: '#00000000' } })
    .png()
    .toBuffer()
  const { bytes } = await make([cmyk, palette, grey, clear], { dpi: 72, background: '#ffffff' })
  for (const page of [1, 2, 3]) {
    const looks = looksOf(bytes, page)
    expect(looks.at(10, 10)).toBeLessThan(60)
    expect(looks.at(30, 30)).toBeGreaterThan(240)
  }
  expect(looksOf(bytes, 4).at(20, 20)).toBe(255)
  expect(embedded(bytes)).toMatch(/cmyk[\s\S]*index[\s\S]*gray[\s\S]*smask/)
})

test.each([
  ['contain', [36, 171, 564, 567]],
  ['shrink', [280, 349, 320, 389]],
  ['fill', [36, 36, 564, 703]],
] as const)('lays a picture on a fixed page: %s', async (fit, [left, , right]) => {
  const square = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'black' } })
    .png()
    .toBuffer()
  const { bytes } = await make([square], { pageSize: 'A4', margin: 36, fit, dpi: 72 })
  expect(boxes(bytes)).toEqual([[0, 0, 595.28, 841.89]])
  const { inked } = looksOf(bytes)
  expect(Math.abs(inked![0] - left)).toBeLessThan(4)
  expect(Math.abs(inked![2] - right)).toBeLessThan(8)
})

test('fills a page without leaving the margin, lying where the picture lies', async () => {
  const wide = await sharp({ create: { width: 400, height: 40, channels: 3, background: 'black' } })
    .png()
    .toBuffer()
  const { bytes } = await make([wide], { pageSize: 'letter', margin: 50, fit: 'cover' })
  expect(boxes(bytes)).toEqual([[0, 0, 792, 612]])
  for (const [index, side] of [50, 50, 742, 562].entries())
    expect(Math.abs(looksOf(bytes).inked![index]! - side)).toBeLessThan(2)
})

test('takes every page of a TIFF, the first frame of an animation, and drawings', async () => {
  const tiff = await sharp([await corner(20, 20).png().toBuffer(), gradient], { join: { animated: true } })
    .tiff()
    .toBuffer()
  const gif = await sharp([gradient, await sharp(gradient).negate().png().toBuffer()], { join: { animated: true } })
    .gif()
    .toBuffer()
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="48"><rect width="48" height="48"/></svg>',
  )
  const { result, warnings, bytes } = await make([gif, svg], { dpi: 96 })
  expect(result.pages).toBe(2)
  expect(warnings).toEqual(['ANIMATION_FLATTENED'])
  expect(boxes(bytes)[1]).toEqual([0, 0, 72, 36])
  expect(embedded(bytes)).toMatch(/300 +150/)
  expect((await make([tiff])).result.pages).toBe(2)
})

test.each([
  { title: 'what is no picture', files: [gradient, plainPdf(1)], code: 'IMAGE_DECODE_FAILED', hints: { index: 1 } },
  { title: 'a truncated picture', files: [gradient.subarray(0, 60)], code: 'IMAGE_DECODE_FAILED', hints: {} },
  { title: 'an unknown colour', files: [gradient], body: { background: 'nocolour' }, code: 'INVALID_PARAM', hints: {} },
])('refuses $title', async ({ files, code, hints, body = {} }) => {
  await expect(make(files, body)).rejects.toMatchObject({ code, hints })
})

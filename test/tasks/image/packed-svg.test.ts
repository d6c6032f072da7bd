import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { recogniseTypes } from '../../../tasks/formats/file-types/recognise.ts'
import { isColorClose, readPixel, runOnFile } from '../../support/images/measure.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const TEXT =
  '<?xml version="1.0" encoding="UTF-16"?>\n<!-- made by an editor -->\n<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#ff0000"/><title>Ä</title></svg>\n'
const IN_UTF8 = Buffer.from(TEXT.replace('UTF-16', 'UTF-8'))
const IN_UTF16 = Buffer.from(`\ufeff${TEXT}`, 'utf16le')

test.each([
  ['that is compressed', gzipSync(IN_UTF8)],
  ['in UTF-16', IN_UTF16],
  ['in UTF-16, the larger byte first', Buffer.from(IN_UTF16).swap16()],
  ['in UTF-16 that is compressed', gzipSync(IN_UTF16)],
])('draws SVG %s', async (_, file) => {
  const { bytes } = await runJob(pools, 'image.resize', { file, width: 80 })
  expect(await runOnFile('identify', bytes, ['-format', '%m %wx%h', '@'])).toBe('PNG 80x40')
  expect(isColorClose(await readPixel(bytes, 40, 20), [255, 0, 0])).toBe(true)
  const { result } = await runJob(pools, 'image.metadata', { file })
  expect(result).toMatchObject({ format: 'svg', mime: 'image/svg+xml', width: 40, height: 20 })
  const pdf = await runJob(pools, 'pdf.from-images', { files: [file] })
  expect(pdf.result).toMatchObject({ pages: 1 })
})

test('minifies SVG that is compressed, which it stays', async () => {
  const { bytes, result } = await runJob(pools, 'image.compress', { file: gzipSync(IN_UTF8) })
  expect(gunzipSync(bytes).toString()).toMatch(/^<svg[^>]*><path[^>]*\/?>.*<\/svg>$/)
  expect(gunzipSync(bytes).toString()).not.toContain('made by an editor')
  expect(result).toMatchObject({ image: { width: 40, format: 'svg' }, outputBytes: bytes.length })
  const wide = await runJob(pools, 'image.compress', { file: IN_UTF16 })
  expect(Buffer.from(wide.bytes).toString()).toMatch(/^<svg/)
})

test.each([
  [
    'more than it may be',
    gzipSync(Buffer.concat([IN_UTF8, Buffer.alloc(40 * 1024 * 1024, 0x20)])),
    'decompressed, the drawing has more than 32 MiB',
  ],
  ['a part of itself', gzipSync(IN_UTF8).subarray(0, -12), 'damaged'],
])('refuses compressed SVG that is %s', async (_, file, detail) => {
  await expect(runJob(pools, 'image.convert', { file, to: 'png' })).rejects.toMatchObject({
    code: 'IMAGE_DECODE_FAILED',
    hints: { detail: expect.stringContaining(detail) },
  })
})

test('takes no other compressed file for a drawing', async () => {
  expect(await recogniseTypes(gzipSync(IN_UTF8), true)).toEqual(['application/gzip', 'image/svg+xml'])
  for (const text of ['<p>text</p>', '<html><svg></svg></html>', 'a,b\n1,2\n'])
    expect(await recogniseTypes(gzipSync(text), true)).toEqual(['application/gzip'])
})

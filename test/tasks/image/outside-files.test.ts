import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { plainPdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const LAYER = { gravity: 'center', x: 0, y: 0, opacity: 1, blend: 'over', rotate: 0, tile: false }

const draw = (content: string) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="20"><rect id="r" width="9" height="9"/>${content}</svg>`,
  )

test.each([
  ['<image width="9" height="9" xlink:href="https://x.example/a.png"/>', true],
  ["<image width='9' height='9' href='photo.jpg'/>", true],
  ['<style>@font-face { font-family: F; src: url("f.woff2") }</style>', true],
  ['<a href="https://x.example/"><use href="#r"/></a>', false],
  ['<rect width="2" height="2" fill="url(#r)"/><image href="data:image/png;base64,AA"/>', false],
])('says that other files are missing in a drawing: %s', async (content, isMissing) => {
  for (const [operation, body] of [
    ['image.convert', { file: draw(content), to: 'png' }],
    ['image.resize', { file: draw(content), width: 10 }],
    ['image.composite', { file: draw(''), layers: [{ file: draw(content), ...LAYER }] }],
    ['image.contact-sheet', { files: [draw(''), draw(content)] }],
    ['pdf.from-images', { files: [draw(content)] }],
    ['pdf.watermark', { file: plainPdf(1), image: draw(content) }],
  ] as const) {
    const { warnings } = await runJob(pools, operation, body)
    expect([operation, warnings]).toEqual([operation, isMissing ? ['RESOURCE_MISSING'] : []])
  }
})

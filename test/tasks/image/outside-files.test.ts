import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

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
  for (const [operation, options] of [
    ['image.convert', { to: 'png' }],
    ['image.resize', { width: 10 }],
  ] as const) {
    const { warnings } = await runJob(pools, operation, { file: draw(content), ...options })
    expect(warnings.includes('RESOURCE_MISSING')).toBe(isMissing)
  }
})

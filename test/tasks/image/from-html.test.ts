import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { identified, isNear, pixel } from '../../support/pictures.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
let hasBrowser = false
beforeAll(async () => {
  pools = await testPools()
  hasBrowser = (await pools.tools()).some(({ name, ok }) => name === 'chromium' && ok)
})
afterAll(() => pools[Symbol.asyncDispose]())
const drawn = (title: string, check: () => Promise<void>) =>
  test(title, async context => {
    if (!hasBrowser) context.skip()
    await check()
  })

const draw = (body: Record<string, unknown>) => runJob(pools, 'image.from-html', body)
const BARE = '<!doctype html><style>body { margin: 0 }</style>'

drawn('draws a card of the size and the colours asked for', async () => {
  const html = `${BARE}<body style="height: 100vh; background: linear-gradient(to right, #f00 50%, #00f 50%)">`
  const { bytes, result, warnings } = await draw({ html, width: 300, height: 150 })
  expect(result.image).toEqual({ width: 300, height: 150, format: 'png' })
  expect(await identified(bytes, '.png')).toHaveLength(1)
  expect(isNear(await pixel(bytes, 10, 75), [255, 0, 0])).toBe(true)
  expect(isNear(await pixel(bytes, 290, 75), [0, 0, 255])).toBe(true)
  expect(warnings).toEqual([])
})

test.each([
  { body: { format: 'jpeg', quality: 30 }, head: 'ffd8ff' },
  { body: { format: 'webp' }, head: '52494646' },
  { body: { format: 'png', scale: 2 }, head: '89504e47' },
])('draws as $body.format', async ({ body, head }) => {
  if (!hasBrowser) return
  const { bytes, result } = await draw({ html: `${BARE}<p>x`, width: 100, height: 50, ...body })
  expect(bytes.toString('hex').startsWith(head)).toBe(true)
  const times = (body as { scale?: number }).scale ?? 1
  expect(result.image).toMatchObject({ width: 100 * times, height: 50 * times, format: body.format })
})

drawn('is as tall as the page where nothing else is said', async () => {
  const block = (height: number) => `<div style="height: ${height}px">x</div>`
  for (const height of [40, 300, 2500]) {
    expect((await draw({ html: BARE + block(height), width: 100 })).result.image).toMatchObject({ height })
  }
  const window = await draw({ html: BARE + block(2500), width: 100, height: 200 })
  expect(window.result.image).toMatchObject({ height: 200 })
  const whole = await draw({ html: BARE + block(2500), width: 100, height: 200, fullPage: true })
  expect(whole.result.image).toMatchObject({ height: 2500 })
})

drawn('stitches a very tall page without a seam or a repeat', async () => {
  const step = 500
  const stripes = Array.from(
    { length: 44 },
    (_, at) => `<div style="height: ${step}px; background: rgb(${at * 5}, 0, 99)"></div>`,
  )
  const { bytes, result } = await draw({ html: BARE + stripes.join(''), width: 60 })
  expect(result.image).toEqual({ width: 60, height: 22_000, format: 'png' })
  for (let at = 0; at < 44; at += 1) {
    for (const y of [at * step + 2, (at + 1) * step - 3]) {
      expect(isNear(await pixel(bytes, 30, y), [at * 5, 0, 99], 2), `${y}`).toBe(true)
    }
  }
})

drawn('draws one element, and leaves out the ground', async () => {
  const html = `${BARE}<p style="height: 900px">above<div id="a" style="width: 50px; height: 30px; border-radius: 15px; background: #0f0">`
  const { bytes, result } = await draw({ html, selector: '#a', transparent: true })
  expect(result.image).toMatchObject({ width: 50, height: 30 })
  expect((await pixel(bytes, 0, 0))[3]).toBe(0)
  expect(isNear(await pixel(bytes, 25, 15), [0, 255, 0])).toBe(true)
  await expect(draw({ html, selector: '#b' })).rejects.toMatchObject({ code: 'SELECTOR_NOT_FOUND' })
  await expect(draw({ html, selector: 'a[' })).rejects.toMatchObject({ code: 'INVALID_PARAM' })
})

drawn('refuses pictures that are too large, and options that exclude each other', async () => {
  const tall = `${BARE}<div style="height: 60000px">`
  await expect(draw({ html: tall, width: 4096, scale: 3 })).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
  await expect(draw({ html: tall, width: 10 })).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
  const clash = draw({ html: 'x', format: 'jpeg', transparent: true })
  await expect(clash).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
  await expect(draw({})).rejects.toMatchObject({ code: 'MISSING_FIELD' })
})

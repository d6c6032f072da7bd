import { afterAll, expect, test } from 'vitest'
import { identifyFrames, isColorClose, readPixel } from '../../support/images/measure.ts'
import { hasTool, runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
const hasBrowser = await hasTool(pools, 'chromium')
afterAll(() => pools[Symbol.asyncDispose]())
const testWithBrowser = test.skipIf(!hasBrowser)

const render = (body: Record<string, unknown>) => runJob(pools, 'image.from-html', body)
const NO_MARGIN = '<!doctype html><style>body { margin: 0 }</style>'

testWithBrowser('renders a card in the requested size and colours', async () => {
  const html = `${NO_MARGIN}<body style="height: 100vh; background: linear-gradient(to right, #f00 50%, #00f 50%)">`
  const { bytes, result, warnings } = await render({ html, width: 300, height: 150 })
  expect(result.image).toEqual({ width: 300, height: 150, format: 'png' })
  expect(await identifyFrames(bytes, '.png')).toHaveLength(1)
  expect(isColorClose(await readPixel(bytes, 10, 75), [255, 0, 0])).toBe(true)
  expect(isColorClose(await readPixel(bytes, 290, 75), [0, 0, 255])).toBe(true)
  expect(warnings).toEqual([])
})

testWithBrowser.each([
  { body: { format: 'jpeg', quality: 30 }, magicBytes: 'ffd8ff' },
  { body: { format: 'webp' }, magicBytes: '52494646' },
  { body: { format: 'png', scale: 2 }, magicBytes: '89504e47' },
])('renders as $body.format', async ({ body, magicBytes: head }) => {
  const { bytes, result } = await render({ html: `${NO_MARGIN}<p>x`, width: 100, height: 50, ...body })
  expect(bytes.toString('hex').startsWith(head)).toBe(true)
  const times = (body as { scale?: number }).scale ?? 1
  expect(result.image).toMatchObject({ width: 100 * times, height: 50 * times, format: body.format })
})

testWithBrowser('is as tall as the page by default', async () => {
  const block = (height: number) => `<div style="height: ${height}px">x</div>`
  for (const height of [40, 300, 2500]) {
    expect((await render({ html: NO_MARGIN + block(height), width: 100 })).result.image).toMatchObject({ height })
  }
  const window = await render({ html: NO_MARGIN + block(2500), width: 100, height: 200 })
  expect(window.result.image).toMatchObject({ height: 200 })
  const whole = await render({ html: NO_MARGIN + block(2500), width: 100, height: 200, fullPage: true })
  expect(whole.result.image).toMatchObject({ height: 2500 })
})

testWithBrowser('stitches a very tall page without seams or repetitions', async () => {
  const step = 500
  const stripes = Array.from(
    { length: 44 },
    (_, at) => `<div style="height: ${step}px; background: rgb(${at * 5}, 0, 99)"></div>`,
  )
  const { bytes, result } = await render({ html: NO_MARGIN + stripes.join(''), width: 60 })
  expect(result.image).toEqual({ width: 60, height: 22_000, format: 'png' })
  for (let index = 0; index < 44; index += 1) {
    for (const y of [index * step + 2, (index + 1) * step - 3]) {
      expect(isColorClose(await readPixel(bytes, 30, y), [index * 5, 0, 99], 2), `${y}`).toBe(true)
    }
  }
})

testWithBrowser('renders one element with a transparent background', async () => {
  const html = `${NO_MARGIN}<p style="height: 900px">above<div id="a" style="width: 50px; height: 30px; border-radius: 15px; background: #0f0">`
  const { bytes, result } = await render({ html, selector: '#a', transparent: true })
  expect(result.image).toMatchObject({ width: 50, height: 30 })
  expect((await readPixel(bytes, 0, 0))[3]).toBe(0)
  expect(isColorClose(await readPixel(bytes, 25, 15), [0, 255, 0])).toBe(true)
  await expect(render({ html, selector: '#b' })).rejects.toMatchObject({ code: 'SELECTOR_NOT_FOUND' })
  await expect(render({ html, selector: 'a[' })).rejects.toMatchObject({ code: 'INVALID_PARAM' })
})

testWithBrowser('rejects images that are too large and conflicting options', async () => {
  const tall = `${NO_MARGIN}<div style="height: 60000px">`
  await expect(render({ html: tall, width: 4096, scale: 3 })).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
  await expect(render({ html: tall, width: 10 })).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' })
  const clash = render({ html: 'x', format: 'jpeg', transparent: true })
  await expect(clash).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
  await expect(render({})).rejects.toMatchObject({ code: 'MISSING_FIELD' })
})

testWithBrowser('is as tall as the page also where its parts differ in height', async () => {
  const { bytes, result } = await render({ html: `${NO_MARGIN}<div style="height: 20000px">x</div>`, width: 40 })
  expect(result.image).toEqual({ width: 40, height: 20_000, format: 'png' })
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([40, 20_000])
})

testWithBrowser('renders a file in the charset that its meta tag declares', async () => {
  const page = (charset: string, word: string) =>
    `<!doctype html><meta charset="${charset}"><style>body { margin: 0; font: 30px sans-serif }</style>${word}`
  const size = { width: 200, height: 50 }
  const file = Buffer.from(page('windows-1252', 'Gr\xfc\xdfe'), 'latin1')
  const { bytes } = await render({ file, ...size })
  expect(bytes.equals((await render({ html: page('utf-8', 'Grüße'), ...size })).bytes)).toBe(true)
})

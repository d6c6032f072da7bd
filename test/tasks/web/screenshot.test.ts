import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { createHostResolver } from '../../../ops/providers/dns/resolve.ts'
import { createOutboundFetch } from '../../../pools/fetch/outbound.ts'
import { hasTool, runJob, testPools } from '../../support/pools/open.ts'
import { openAwkwardSite } from '../../support/servers/awkward-site.ts'
import { openDnsServer } from '../../support/servers/dns.ts'

const site = await openAwkwardSite()
/** Public at first, and this machine when it is asked again. */
const dns = await openDnsServer(query => [query === 1 ? '127.0.0.1' : '127.0.0.2'])
const outbound = createOutboundFetch({
  isTrusted: address => address === '127.0.0.1',
  resolve: createHostResolver([dns.address]),
})
const pools = await testPools({ outbound })
const hasBrowser = await hasTool(pools, 'chromium')
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})

const capture = (path: string, body: Record<string, unknown> = {}) =>
  runJob(pools, 'web.screenshot', { url: site.url + path, ...body })

async function readColors(bytes: Buffer, points: readonly (readonly [x: number, y: number])[]): Promise<string[]> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return points.map(([x, y]) => data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3).toString('hex'))
}

test.skipIf(!hasBrowser)('takes the viewport, in every format, scale and way', async () => {
  const { bytes, result, chargedMicros } = await capture('/')
  expect(result.page).toMatchObject({ finalUrl: `${site.url}/`, status: 200, title: 'Page', redirects: 0 })
  expect(result.image).toEqual({ width: 1280, height: 800, format: 'png' })
  expect([
    await readColors(bytes, [
      [5, 5],
      [5, 299],
      [900, 700],
    ]),
    chargedMicros,
  ]).toEqual([['00aa00', '00aa00', 'ffffff'], 6000n])
  const viewport = { width: 200, height: 100, scale: 2, mobile: false }
  const retina = await capture('/', { viewport, format: 'webp', thumbnail: { width: 50, height: 50 } })
  expect(await sharp(retina.bytes).metadata()).toMatchObject({ format: 'webp', width: 400, height: 200 })
  const thumbnail = retina.result.thumbnail as { bytes: Buffer }
  expect(await sharp(thumbnail.bytes).metadata()).toMatchObject({ format: 'webp', width: 50, height: 25 })
  const clip = { x: 0, y: 280, width: 30, height: 40 }
  expect((await capture('/', { clip, format: 'jpeg' })).result.image).toMatchObject({ width: 30, height: 40 })
  expect((await capture('/', { device: 'android' })).result.image).toMatchObject({ width: 1082, height: 2402 })
  const dark = await capture('/dark', {
    colorScheme: 'dark',
    css: 'html { height: 100vh; border-left: 9px solid #f0f }',
  })
  expect(
    await readColors(dark.bytes, [
      [3, 3],
      [500, 500],
    ]),
  ).toEqual(['ff00ff', '000000'])
})

test.skipIf(!hasBrowser)('does not wait for what never stops, and hides consent', async () => {
  expect(await readColors((await capture('/polling')).bytes, [[5, 50]])).toEqual(['0000ff'])
  expect(await readColors((await capture('/banner')).bytes, [[5, 700]])).toEqual(['00aa00'])
  const shown = await capture('/banner', { block: [], viewport: { width: 300, height: 400, scale: 1, mobile: false } })
  expect(await readColors(shown.bytes, [[250, 390]])).toEqual(['ff0000'])
  const clicked = await capture('/banner', { block: [], hide: ['div[style*=fixed]'], click: ['button', '#none'] })
  expect([await readColors(clicked.bytes, [[5, 700]]), clicked.warnings]).toEqual([['00aa00'], ['NOTHING_TO_CLICK']])
})

test.skipIf(!hasBrowser)('draws a whole page: late images, fixed headers once, no repeats, and a limit', async () => {
  const late = await capture('/lazy', { fullPage: true })
  const shown = await readColors(late.bytes, [
    [50, 3050],
    [150, 3050],
  ])
  expect(shown.filter(color => color === 'ffffff')).toEqual([])
  const sticky = await capture('/sticky', { fullPage: true })
  expect(
    await readColors(sticky.bytes, [
      [5, 25],
      [1260, 70],
      [5, 825],
      [1260, 870],
      [5, 1700],
    ]),
  ).toEqual([...['ff0000', '0000ff', 'ffffff', 'ffffff', 'ffffff']])
  const viewport = { width: 100, height: 400, scale: 1, mobile: false }
  const tall = await capture('/tall', { fullPage: true, viewport })
  expect(tall.result.image).toMatchObject({ width: 100, height: 20_000 })
  const rows = Array.from({ length: 20 }, (_, at) => [50, at * 1000 + 500] as const)
  expect(await readColors(tall.bytes, rows)).toEqual(rows.map((_, at) => (at % 2 ? '0000ff' : 'ff0000')))
  const cut = await capture('/tall', { fullPage: true, viewport, maxHeight: 1500 })
  expect([cut.result.image, cut.warnings]).toMatchObject([{ height: 1500 }, ['HEIGHT_LIMITED']])
})

test.skipIf(!hasBrowser)('follows redirects, also those of scripts, and goes nowhere inside', async () => {
  for (const path of ['/moved', '/script-moved'])
    expect((await capture(path)).result.page).toMatchObject({ finalUrl: `${site.url}/`, redirects: 1 })
  const inside = await capture('/inside')
  expect(inside.warnings).toEqual(['RESOURCE_FAILED'])
  expect((await capture('/alerts')).result.page).toMatchObject({ status: 200 })
  expect((await capture('/challenge')).warnings).toEqual(['BOT_CHALLENGE'])
  expect((await capture('/missing', { allowErrorStatus: true })).result.page).toMatchObject({ status: 404 })
})

test.skipIf(!hasBrowser).each([
  ['/to-loopback', {}, 'URL_NOT_ALLOWED'],
  ['/to-metadata', {}, 'URL_NOT_ALLOWED'],
  ['/to-file', {}, 'URL_NOT_ALLOWED'],
  ['/loop', {}, 'FETCH_FAILED'],
  ['/endless', {}, 'HTML_RENDER_FAILED'],
  ['/missing', {}, 'FETCH_FAILED'],
  ['/file.pdf', {}, 'UNSUPPORTED_FORMAT'],
  ['/download', {}, 'UNSUPPORTED_FORMAT'],
  ['/slow', { wait: { timeoutMs: 1000 } }, 'TIME_LIMIT_EXCEEDED'],
  ['/', { selector: '#none' }, 'SELECTOR_NOT_FOUND'],
  ['/', { selector: '#hello', fullPage: true }, 'CONFLICTING_OPTIONS'],
  ['/', { hide: ['###'] }, 'INVALID_PARAM'],
  ['/', { headers: { Host: 'x' } }, 'INVALID_PARAM'],
  ['/', { headers: { 'x-a': 'b\r\nc: d' } }, 'INVALID_PARAM'],
  ['/', { transparent: true, format: 'jpeg' }, 'CONFLICTING_OPTIONS'],
  ['/', { device: 'tablet', viewport: { width: 100, height: 100, scale: 1, mobile: false } }, 'CONFLICTING_OPTIONS'],
])('refuses %s with %j', async (path, body, code) => {
  await expect(capture(path, body)).rejects.toMatchObject({ code })
})

test.skipIf(!hasBrowser)(
  'connects to no address that was not checked, whatever a name means the next time',
  async () => {
    const byName = (path: string) => runJob(pools, 'web.screenshot', { url: `http://turn.example:${site.port}${path}` })
    const first = await byName('/closing')
    expect(first.result.page).toMatchObject({ status: 200 })
    const asked = site.requests.length
    await expect(byName('/closing')).rejects.toMatchObject({ code: 'URL_NOT_ALLOWED' })
    expect(site.requests.length).toBe(asked)
  },
)

test('says before the work that the web cannot be reached', async () => {
  await using closed = await testPools()
  const reports = (await closed.tools()).filter(({ name }) => name === 'web')
  expect(reports).toMatchObject([{ ok: false, install: expect.stringContaining('OUTBOUND=public') }])
  await expect(runJob(closed, 'web.screenshot', { url: site.url })).rejects.toMatchObject({
    code: 'PROVIDER_NOT_CONFIGURED',
  })
})

import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadCatalog } from '../../api/catalog.ts'
import { canEstimate, estimateCall, findMeasures } from '../../api/surfaces/estimate.ts'
import { inlineSamples } from '../../api/surfaces/openapi/examples.ts'
import { expectGoodInBothSchemes } from '../support/browser/good.ts'
import { closePages, openBrowser } from '../support/browser/open.ts'
import { PHONE, visit } from '../support/browser/visit.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Stack } from '../support/stack/start.ts'

const catalog = await loadCatalog()

let stack: Stack
let browser: Browser
beforeAll(async () => {
  ;[stack, browser] = await Promise.all([openDefaultStack(), openBrowser()])
})
afterAll(async () => {
  await closePages(browser)
  await stack[Symbol.asyncDispose]()
})

const PAGES = [
  '/',
  '/pricing',
  '/compare',
  '/try',
  '/try/redact-pdf',
  '/docs/how-to',
  '/docs/how-to/merge-and-number-pages',
  '/docs/how-to/draw-a-chart',
]

test.each([PHONE, { width: 1440, height: 900 }])(
  'at %o no page violates a rule of axe or is wider than its window, in light and in dark',
  async viewport => {
    const { page, context, complaints } = await visit(browser, stack, { viewport })
    for (const path of PAGES) {
      await page.goto(path)
      await expectGoodInBothSchemes(page, `site${path.replaceAll('/', '-')}-${viewport.width}`)
    }
    // Axe itself is refused by the policy where it is not run by the debugger.
    expect(complaints).toEqual([])
    await context.close()
  },
)

test('the first page is light, has a call with its price and answer, and needs no script', async () => {
  const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false, baseURL: stack.url })
  const page = await context.newPage()
  let bytes = 0
  page.on('response', async response => {
    const text = await fetch(response.url(), { headers: { 'accept-encoding': 'identity' } })
    bytes += (await text.arrayBuffer()).byteLength
  })
  await page.goto('/', { waitUntil: 'networkidle' })
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThan(60_000)
  const call = page.locator('.ticket')
  expect(await call.textContent()).toContain(`curl "${stack.url}/v1/image/ocr"`)
  expect(await call.textContent()).toContain('$0.005 per call')
  expect(await call.textContent()).toContain('MIND THE GAP')
  await page.getByRole('link', { name: 'Make a scanned PDF searchable' }).click()
  expect(await page.locator('h1').textContent()).toBe('Make a scanned PDF searchable')
  await context.close()
})

test('pages and styles are sent compressed to clients that take it', async () => {
  for (const path of ['/', '/pages/pages.css']) {
    const [plain, packed] = await Promise.all([readRaw(path, 'identity'), readRaw(path, 'gzip')])
    expect(packed.length).toBeLessThan(plain.length / 2)
    expect(gunzipSync(packed).toString()).toBe(plain.toString())
  }
})

/** The bytes as they were sent; fetch would unpack them. */
async function readRaw(path: string, encoding: string): Promise<Buffer> {
  const sent = request(stack.url + path, { headers: { 'accept-encoding': encoding } }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

test('the sitemap names pages that are there, each with one address, a title and a description', async () => {
  const robots = (await stack.anonymous.get('/robots.txt')).text
  expect(robots).toContain(`Sitemap: ${stack.url}/sitemap.xml`)
  const sitemap = (await stack.anonymous.get('/sitemap.xml')).text
  const addresses = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address!)
  expect(addresses.length).toBeGreaterThan(300)
  expect(addresses).toContain(`${stack.url}/docs/pdf/merge`)
  const titles = new Set<string>()
  const shown = addresses.filter(address => !/\/docs\/(?!how-to)[^/]+\//.test(address))
  for (const address of shown) {
    const page = await (await fetch(address)).text()
    expect(page).toContain(`<link rel="canonical" href="${address}">`)
    expect(page).toMatch(/<meta property="og:title" content="[^"]+">/)
    expect(page).toMatch(/<meta name="description" content="[^"]{5,}">/)
    titles.add(/<title>([^<]+)<\/title>/.exec(page)![1]!)
  }
  expect(titles.size).toBe(shown.length)
})

/** Operations of many kinds, with what their sample files have. */
const PRICED = [
  ['pdf.merge', { pages: 2 }],
  ['pdf.ocr-searchable', { pages: 1 }],
  ['pdf.redact', { pages: 2 }],
  ['pdf.compress', { pages: 1 }],
  ['pdf.from-html', {}],
  ['image.resize', { megapixels: 0.02 }],
  ['image.compress', { megapixels: 0.02 }],
  ['media.trim', { seconds: 1 }],
  ['media.audio-convert', { seconds: 1 }],
  ['doc.parse-invoice', { pages: 1 }],
  ['data.sql', {}],
  ['archive.zip', {}],
  ['generate.chart', {}],
  ['utils.hash', {}],
] as const

test.each(PRICED)('the calculator says of %s what a dry run says', async (name, size) => {
  const operation = catalog.operation(name)!
  const customer = await stack.customer()
  const input = inlineSamples(operation.examples[0]!.input) as object
  const { body } = await customer.post(operation.path, { ...input, dryRun: true })
  expect(body.quote).toMatchObject({ expected: expect.any(String) })
  const query = new URLSearchParams({ op: name, calls: '1000000', ...toTexts(size) })
  const page = (await stack.anonymous.get(`/pricing?${query}`)).text
  const shown = /<output[^>]*>\$([\d,.]+)<\/output>/.exec(page)![1]!.replaceAll(',', '')
  expect(Number(shown)).toBe(Number(body.quote.expected))
  const most = /at most \$([\d,.]+)/.exec(/<p class="sum">.*?<\/p>/.exec(page)![0])?.[1]?.replaceAll(',', '')
  expect(Number(most ?? shown)).toBe(Number(body.quote.atMost))
})

function toTexts(size: object): Record<string, string> {
  return Object.fromEntries(Object.entries(size).map(([measure, value]) => [measure, String(value)]))
}

test('every operation that the calculator offers can be estimated, and asks for what its price depends on', async () => {
  const offered = catalog.operations.filter(canEstimate)
  expect(offered.length).toBeGreaterThan(100)
  for (const operation of offered) {
    const quote = await estimateCall(operation, { pages: 9 })
    expect([operation.name, BigInt(quote.atMost) > 0n]).toEqual([operation.name, true])
  }
  expect(await findMeasures(catalog.operation('pdf.merge')!)).toEqual(['pages'])
  expect(await findMeasures(catalog.operation('image.resize')!)).toEqual(['megapixels'])
  expect(await findMeasures(catalog.operation('media.audio-convert')!)).toEqual(['seconds'])
  expect(await findMeasures(catalog.operation('csv.convert')!)).toEqual(['mebibytes'])
  expect(await findMeasures(catalog.operation('codes.qr')!)).toEqual([])
})

test('the calculator works with the keyboard and without a script, and answers odd numbers', async () => {
  const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false, baseURL: stack.url })
  const page = await context.newPage()
  await page.goto('/pricing')
  await page.getByLabel('Operation', { exact: true }).selectOption('pdf.merge')
  await page.getByRole('button', { name: 'Calculate' }).click()
  await page.getByLabel('Pages of each file').fill('3')
  await page.getByLabel('Calls a month').fill('1000')
  await page.getByRole('button', { name: 'Calculate' }).click()
  expect(await page.locator('output').textContent()).toBe('$6.00')
  await context.close()
  for (const odd of ['calls=-1', 'calls=x', 'pages=1e99', 'op=nothing', 'op=pdf.pages&pages=1', 'calls=1e99&pages=0'])
    expect([odd, (await stack.anonymous.get(`/pricing?${odd}`)).status]).toEqual([odd, 200])
})

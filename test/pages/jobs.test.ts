import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findViolations } from '../support/browser/axe.ts'
import { closePages, openBrowser, saveScreenshot } from '../support/browser/open.ts'
import { measureOverflow, PHONE, visitAccount } from '../support/browser/visit.ts'
import { createNoisyPng } from '../support/images/png.ts'
import { plainPdf } from '../support/pdf/document.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

let stack: Stack
let browser: Browser
let customer: Customer
let page: Page
let complaints: string[]
beforeAll(async () => {
  ;[stack, browser] = await Promise.all([openDefaultStack(), openBrowser()])
  customer = await stack.customer()
  ;({ page, complaints } = await visitAccount(browser, stack, customer.accountId))
})
afterAll(async () => {
  expect(complaints).toEqual([])
  await closePages(browser)
  await stack[Symbol.asyncDispose]()
})

const inline = (bytes: Uint8Array | string) => ({ inline: Buffer.from(bytes).toString('base64') })

/** Makes a call and opens the page of its job. */
async function openJob(path: string, body: object, status = 200): Promise<string> {
  const answer = await customer.post(path, body)
  expect([answer.status, status === 200 || answer.body.code], JSON.stringify(answer.body).slice(0, 300)).toEqual([
    status,
    expect.anything(),
  ])
  const id = String(answer.headers.get('x-service-job-id') ?? answer.body.jobId)
  await page.goto(`/dashboard/jobs/${id}`)
  expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
  return id
}

/** The size of the preview once it is loaded. */
async function measurePreview(): Promise<[width: number, height: number]> {
  const image = page.locator('.preview img')
  await image.scrollIntoViewIfNeeded()
  await page.waitForFunction('document.querySelector(".preview img")?.complete === true')
  const script =
    '[document.querySelector(".preview img").naturalWidth, document.querySelector(".preview img").naturalHeight]'
  return (await page.evaluate(script)) as [number, number]
}

async function download(): Promise<{ name: string; bytes: Buffer }> {
  const waiting = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download', exact: true }).click()
  const file = await waiting
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
}

test('a picture is shown and can be downloaded; no base64 is on the page', async () => {
  const png = createNoisyPng(400)
  await openJob('/v1/image/resize', { file: inline(png), width: 320, filename: 'small' })
  expect(await measurePreview()).toEqual([320, 320])
  const { name, bytes } = await download()
  expect([name, bytes.subarray(1, 4).toString()]).toEqual(['small.png', 'PNG'])
  expect((await page.content()).length).toBeLessThan(20_000)
  await saveScreenshot(page, 'job-picture')
})

test('the first page of a PDF is drawn, free of charge', async () => {
  const { balance } = await customer.money()
  const id = await openJob('/v1/pdf/rotate', { file: inline(plainPdf(3)), degrees: '180' })
  const [width, height] = await measurePreview()
  expect(height / width).toBeCloseTo(2, 1)
  await saveScreenshot(page, 'job-page')
  expect((await download()).bytes.subarray(0, 5).toString()).toBe('%PDF-')
  expect(await customer.money()).toEqual({ balance: balance - 3_000n, held: 0n })
  const other = await stack.customer()
  const guest = await visitAccount(browser, stack, other.accountId)
  for (const path of ['', '/files/0', '/files/0/preview', '/result.json'])
    expect((await guest.page.goto(`/dashboard/jobs/${id}${path}`))!.status()).toBe(404)
  await guest.context.close()
})

test('a picture that browsers cannot show is drawn as one that they can', async () => {
  await openJob('/v1/image/convert', { file: inline(createNoisyPng(200)), to: 'tiff' })
  expect(await measurePreview()).toEqual([200, 200])
})

test('SVG is a picture in which nothing runs', async () => {
  await openJob('/v1/qr', { text: 'https://example.com', format: 'svg' })
  expect(await page.locator('.preview img').count()).toBe(1)
  const [width] = await measurePreview()
  expect(width).toBeGreaterThan(0)
  const address = (await page.locator('.preview img').getAttribute('src'))!
  const reply = await page.request.get(address)
  expect(reply.headers()).toMatchObject({
    'content-type': 'image/svg+xml',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
  })
})

test('a table is a table, and a text is a text', async () => {
  const csv = `name,note\n${Array.from({ length: 80 }, (_, row) => `row ${row},"<b>${'wide '.repeat(40)}</b>"`).join('\n')}\n`
  await openJob('/v1/csv/convert', { file: inline(csv), to: 'tsv' })
  expect(await page.locator('.sheet th').allTextContents()).toEqual(['name', 'note'])
  expect(await page.locator('.sheet tbody tr').count()).toBe(50)
  await page.getByText('These are the first 50 rows').waitFor()
  expect(await page.locator('.sheet b').count()).toBe(0)
  await saveScreenshot(page, 'job-table')
  await openJob('/v1/text/markdown-to-html', { text: `# Title\n\n${'word '.repeat(400)}` })
  expect(await page.locator('main pre.text').first().textContent()).toMatch(/<h1[^>]*>Title<\/h1>/)
  expect(await page.locator('main h1').count()).toBe(1)
  await saveScreenshot(page, 'job-text')
})

test('tables of one answer are told apart by their names', async () => {
  const address = `0x${'a'.repeat(40)}`
  const party = { role: 'party', method: 'wallet' }
  const parties = [
    { ...party, key: 'a', name: 'A', address },
    { ...party, key: 'b', name: 'B', address: address.replaceAll('a', 'b') },
  ]
  const made = await customer.post('/v1/contracts', { title: 'Tables', terms: 'We agree.', parties })
  await page.goto(`/dashboard/jobs/${made.headers.get('x-service-job-id')}`)
  const names = await page.locator('.sheet').evaluateAll(found => found.map(one => one.getAttribute('aria-label')))
  expect(names).toEqual(expect.arrayContaining(['Parties', 'Document: Parties']))
  expect(await findViolations(page)).toEqual([])
})

test('the page of a failed job says why', async () => {
  await openJob('/v1/pdf/rotate', { file: inline(plainPdf(2)), degrees: '90', pages: '9' }, 422)
  const failure = page.locator('.failure')
  expect(await failure.textContent()).toContain('A page range is malformed or outside the document.')
  expect(await failure.textContent()).toContain('Nothing was charged.')
  await saveScreenshot(page, 'job-failed')
})

test('the list of jobs is filtered by operation, days and key, and fits a phone', async () => {
  await page.goto('/dashboard/jobs?operation=pdf.rotate&status=failed&from=2026-01-01')
  expect(await page.locator('tbody tr').count()).toBe(1)
  expect(await page.locator('tbody .what').textContent()).toMatch(/^pdf.rotate ([\d.]+ m?s, )?svc_test_\w+…$/)
  await page.getByLabel('To').fill('2026-01-02')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.waitForURL(/\/dashboard\/jobs\?status=failed&from=2026-01-01&to=2026-01-02&operation=pdf.rotate&key=$/)
  expect(await page.locator('.empty').textContent()).toBe('No jobs found.')
  const { page: phone, context } = await visitAccount(browser, stack, customer.accountId, { viewport: PHONE })
  await phone.goto('/dashboard/jobs?operation=pdf.rotate')
  expect(await measureOverflow(phone)).toBeLessThanOrEqual(0)
  await saveScreenshot(phone, 'phone-jobs')
  await context.close()
})

test('on a phone the page of a job fits, and the current tab is in view', async () => {
  const { page: phone, context } = await visitAccount(browser, stack, customer.accountId, { viewport: PHONE })
  const { body } = await customer.get('/v1/jobs?limit=50')
  for (const { id, serviceKey } of body.data) {
    await phone.goto(`/dashboard/jobs/${id}`)
    expect([serviceKey, (await measureOverflow(phone)) <= 0]).toEqual([serviceKey, true])
    await saveScreenshot(phone, `phone-job-${serviceKey}`)
  }
  await phone.goto('/dashboard/account')
  const edges = `(() => { const { left, right } = document.querySelector('.places [aria-current]').getBoundingClientRect(); return left >= 0 && right <= innerWidth })()`
  expect(await phone.evaluate(edges)).toBe(true)
  await context.close()
})

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount, creditAccount } from '../../sql/account.ts'
import { expectGoodInBothSchemes } from '../support/browser/good.ts'
import { closePages, openBrowser, saveScreenshot } from '../support/browser/open.ts'
import { PHONE, visit, visitAccount } from '../support/browser/visit.ts'
import { createClient } from '../support/stack/client.ts'
import { type Stack, startStack } from '../support/stack/start.ts'

let stack: Stack
let browser: Browser
beforeAll(async () => {
  ;[stack, browser] = await Promise.all([startStack({ worker: false, env: { TEST_CHECKOUT: 'true' } }), openBrowser()])
})
afterAll(async () => {
  await closePages(browser)
  await stack[Symbol.asyncDispose]()
})

async function openAccount(options?: Parameters<typeof visitAccount>[3]) {
  const { id: accountId } = await createAccount(stack.db, { isTest: true })
  await creditAccount(stack.db, { accountId, amountMicros: 5_000_000n })
  return { accountId, ...(await visitAccount(browser, stack, accountId, options)) }
}

test('a browser gets a page for an address that is not there, and a program gets JSON', async () => {
  const { page, context } = await visit(browser, stack)
  expect((await page.goto('/v1/pdf/roate'))!.status()).toBe(404)
  expect(await page.locator('main').textContent()).toContain('There is no such page')
  await saveScreenshot(page, 'not-found')
  for (const accept of ['*/*', 'application/json', 'application/json, text/html', 'text/html;q=0, */*', undefined]) {
    const reply = await fetch(`${stack.url}/nowhere`, { headers: accept === undefined ? {} : { accept } })
    expect([accept, reply.status, reply.headers.get('content-type')]).toEqual([
      accept,
      404,
      'application/json; charset=utf-8',
    ])
  }
  const posted = await fetch(`${stack.url}/nowhere`, { method: 'POST', headers: { accept: 'text/html' } })
  expect(posted.headers.get('content-type')).toContain('application/json')
  const evil = await fetch(`${stack.url}/%3Cscript%3E`, { headers: { accept: 'text/html' } })
  expect([evil.status, (await evil.text()).includes('<script>')]).toEqual([404, false])
  expect(evil.headers.get('content-security-policy')).toContain("default-src 'none'")
  await context.close()
})

test('the price page lists every paid call at the price of the JSON, and finds by words', async () => {
  const { page, context } = await visit(browser, stack)
  await page.goto('/')
  await page.getByRole('link', { name: 'Prices', exact: true }).click()
  await saveScreenshot(page, 'pricing')
  const { body } = await stack.anonymous.get('/v1/prices')
  const shown = await page.locator('.pricelist a code').allTextContents()
  expect(shown.toSorted()).toEqual(Object.keys(body.operations).toSorted())
  const row = page.locator('tr', { has: page.locator('code', { hasText: /^pdf\.merge$/ }) })
  expect(await row.textContent()).toContain('$0.001 per')
  await page.getByLabel('Search operations').fill('redact')
  await page.getByRole('button', { name: 'Search' }).click()
  expect(await page.locator('.pricelist a code').allTextContents()).toEqual(['pdf.redact'])
  const asJson = await fetch(`${stack.url}/v1/prices`, { headers: { accept: 'text/html' } })
  expect(asJson.headers.get('content-type')).toContain('application/json')
  await context.close()
})

test('the front page shows operations that exist, and claims x402 only where it is on', async () => {
  const { page, context } = await visit(browser, stack)
  await page.goto('/')
  expect(await page.locator('.best .cards li').count()).toBe(12)
  for (const path of ['/', '/sign-in', '/pricing']) {
    await page.goto(path)
    expect(await page.locator('main').textContent()).not.toMatch(/x402|with a wallet\. See/)
  }
  const account = await openAccount()
  await account.page.goto('/dashboard/account')
  expect(await account.page.locator('main').textContent()).not.toContain('x402')
  await account.context.close()
  await context.close()
})

test('only those who were there before are welcomed back', async () => {
  const first = await openAccount()
  expect(await first.page.getByText('Welcome back').count()).toBe(0)
  await first.page.getByText('your account is ready').waitFor()
  const again = await visitAccount(browser, stack, first.accountId)
  await again.page.getByText('Welcome back').waitFor()
  await first.context.close()
  await again.context.close()
})

test('a refused form keeps what was typed and tells the fault at its field', async () => {
  const { page, context } = await openAccount()
  await page.goto('/dashboard/billing')
  expect(await page.locator('.figure.main .big').textContent()).toBe('$5.00')
  await page.getByLabel(/^USD/).fill('a lot')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Enter an amount in dollars').waitFor()
  expect(await page.getByLabel(/^USD/).inputValue()).toBe('a lot')
  await saveScreenshot(page, 'billing-refused')
  await page.goto('/dashboard/ledger?from=2026-02-02&to=2026-02-01&operation=utils.hash')
  await page.getByText('The last day is before the first').waitFor()
  expect(await page.getByLabel('Operation').inputValue()).toBe('utils.hash')
  expect(await page.getByLabel('To', { exact: true }).getAttribute('aria-invalid')).toBe('true')
  const guest = await visit(browser, stack)
  await guest.page.goto('/sign-in')
  await guest.page.evaluate('document.querySelector("form").noValidate = true')
  await guest.page.getByLabel('Email address').fill('ada@')
  await guest.page.getByRole('button', { name: 'Send me a link' }).click()
  await guest.page.getByText('Enter an email address').waitFor()
  expect(await guest.page.getByLabel('Email address').inputValue()).toBe('ada@')
  await guest.context.close()
  await context.close()
})

test('the ledger is filtered and downloaded as CSV', async () => {
  const { page, context, accountId } = await openAccount()
  await page.goto('/dashboard/keys')
  await page.getByLabel('Name').fill('=reader')
  await page.getByRole('button', { name: 'Create API key' }).click()
  const key = (await page.getByLabel('The new API key').textContent())!
  const client = createClient(stack.url, key)
  for (let calls = 0; calls < 3; calls++) await client.post('/v1/utils/uuid', {})
  await createClient(stack.url, await stack.addKey(accountId)).post('/v1/utils/hash', { text: 'a' })
  await page.goto('/dashboard/keys')
  await page.getByText('last used').first().waitFor()
  await saveScreenshot(page, 'keys-two')
  await page.goto('/dashboard/ledger')
  await page.getByText('Filter', { exact: true }).click()
  await page.getByLabel('API key').selectOption(key.slice(0, 17))
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.waitForURL(/[?&]key=/)
  expect(await page.locator('tbody tr').count()).toBe(3)
  await saveScreenshot(page, 'ledger-filtered')
  await page.getByLabel('Operation').fill('utils.hash')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Nothing matches this filter').waitFor()
  await page.getByRole('link', { name: 'Clear' }).click()
  const csv = await (await page.request.get('/dashboard/ledger.csv?type=charge')).text()
  const lines = csv.trimEnd().split('\r\n')
  expect(lines[0]).toBe('time,type,operation,amount_usd,asset,status,job,key,transaction')
  expect(lines.slice(1).map(line => line.split(',').slice(1, 6).join(' '))).toEqual([
    'charge utils.hash -0.001 USD settled',
    ...Array.from({ length: 3 }, () => 'charge utils.uuid -0.001 USD settled'),
  ])
  expect(lines[2]!.split(',')[7]).toBe(key.slice(0, 17))
  await context.close()
})

test('in light and in dark no page violates a rule of axe or is wider than a phone', async () => {
  const { page, context, accountId } = await openAccount({ viewport: PHONE })
  const client = createClient(stack.url, await stack.addKey(accountId))
  const job = await client.post('/v1/utils/hash', { text: 'a'.repeat(5_000) })
  const dashboard = ['', '/ledger?from=2026-02-02&to=2026-02-01', '/jobs', '/keys', '/billing', '/account']
  const paths = [
    ...dashboard.map(path => `/dashboard${path}`),
    `/dashboard/jobs/${job.headers.get('x-service-job-id')}`,
    '/',
    '/pricing',
    '/nowhere',
  ]
  for (const path of paths) {
    await page.goto(path)
    await expectGoodInBothSchemes(page, `site${path.replaceAll(/\W+/g, '-').slice(0, 30)}`)
  }
  await context.close()
})

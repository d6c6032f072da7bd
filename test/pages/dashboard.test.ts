import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignInLink } from '../../ops/providers/sign-in/link.ts'
import { createAccount, creditAccount } from '../../sql/account.ts'
import { createLink } from '../../sql/session.ts'
import { closePages, collectErrors, openBrowser, saveScreenshot } from '../support/browser/open.ts'
import { waitForSignInLink } from '../support/servers/outbox.ts'
import { createClient } from '../support/stack/client.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Stack } from '../support/stack/start.ts'

let stack: Stack
let browser: Browser
beforeAll(async () => {
  ;[stack, browser] = await Promise.all([openDefaultStack(), openBrowser()])
})
afterAll(async () => {
  await closePages(browser)
  await stack[Symbol.asyncDispose]()
})

/** The secret that startStack configures. */
const SECRET = 'a secret of the tests alone'
const DESKTOP = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

async function openPage(viewport = DESKTOP): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport, baseURL: stack.url })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  return { context, page, complaints: collectErrors(page) }
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  await page.goto(await waitForSignInLink(stack.dataDir, email))
  await page.getByRole('button', { name: 'Sign in to coinop' }).click()
  await page.waitForURL(/\/dashboard\b/)
}

test('a new user signs in by email, tops up with test money, creates a key, makes calls, and sees their cost', async () => {
  const { context, page, complaints } = await openPage()
  await page.goto('/')
  await saveScreenshot(page, 'landing')
  await page.getByRole('link', { name: 'Get a key' }).click()
  await saveScreenshot(page, 'sign-in')
  await signIn(page, 'ada@example.com')
  await saveScreenshot(page, 'overview-new')

  await page.getByRole('link', { name: 'Top up', exact: true }).first().click()
  await saveScreenshot(page, 'billing')
  await page.getByRole('button', { name: /^\$20/ }).click()
  await page.getByText('no real money moves').waitFor()
  await saveScreenshot(page, 'checkout')
  await page.getByRole('button', { name: 'Pay with test money' }).click()
  await page.getByText('the test money is on your balance').waitFor()

  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('button', { name: 'Create API key' }).click()
  const key = (await page.getByLabel('The new API key').textContent())!
  await saveScreenshot(page, 'key-fresh')
  expect(key).toMatch(/^svc_test_[0-9a-f]{32}$/)
  await page.goto('/dashboard/keys')
  expect(await page.content()).not.toContain(key)

  const client = createClient(stack.url, key)
  for (let calls = 0; calls < 12; calls++) await client.post('/v1/utils/uuid', {})
  await client.post('/v1/text/slugify', { texts: ['!!!'] })
  await client.post('/v1/utils/hash', { text: '<script>alert(1)</script>' })
  await page.getByRole('link', { name: 'Overview' }).click()
  await saveScreenshot(page, 'overview')
  expect(await page.locator('.figure.main .big').textContent()).toBe('$19.987')
  await page.getByRole('link', { name: 'Ledger', exact: true }).click()
  await page.getByRole('link', { name: 'Top-ups' }).click()
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
  await page.getByRole('link', { name: 'Everything' }).click()
  await saveScreenshot(page, 'ledger')
  await page.getByRole('link', { name: 'Jobs', exact: true }).click()
  await saveScreenshot(page, 'jobs')
  await page.getByRole('link', { name: 'utils.hash' }).first().click()
  await saveScreenshot(page, 'job')
  expect(await page.locator('.facts').last().textContent()).toContain('$0.001')
  expect(complaints).toEqual([])
  await context.close()
})

test('limits apply at once, and a key can be rotated and revoked', async () => {
  const { context, page, complaints } = await openPage()
  await signIn(page, 'grace@example.com')
  await page.goto('/dashboard/billing')
  await page.getByRole('button', { name: /^\$5/ }).first().click()
  await page.getByRole('button', { name: 'Pay with test money' }).click()
  await page.goto('/dashboard/keys')
  await page.getByRole('button', { name: 'Create API key' }).click()
  const first = (await page.getByLabel('The new API key').textContent())!
  await page.getByLabel('Limit per day, USD').first().fill('0.002')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('New limits apply from the next call').waitFor()
  const callUuid = async (key: string) => {
    const { status, body } = await createClient(stack.url, key).post('/v1/utils/uuid', {})
    return `${status} ${body.code ?? ''}`.trim()
  }
  expect([await callUuid(first), await callUuid(first), await callUuid(first)]).toEqual([
    '200',
    '200',
    '403 SPEND_LIMIT_REACHED',
  ])
  await page.reload()
  await saveScreenshot(page, 'keys')
  await page.getByLabel('Limit per day, USD').first().fill('lots')
  await page.getByLabel('Name').first().fill('agent <1>')
  await page.getByRole('button', { name: 'Save' }).click()
  const refused = page.locator('input[aria-invalid]')
  await refused.waitFor()
  expect(await refused.inputValue()).toBe('lots')
  expect(await page.locator(`#${await refused.getAttribute('aria-describedby')}`).textContent()).toContain('in dollars')
  expect(await page.getByLabel('Name').first().inputValue()).toBe('agent <1>')

  await page.getByText('Rotate', { exact: true }).click()
  await page.getByLabel('The old key stops').selectOption({ label: 'at once' })
  await page.getByRole('button', { name: 'Rotate key' }).click()
  const second = (await page.getByLabel('The new API key').textContent())!
  expect([await callUuid(first), await callUuid(second)]).toEqual(['401 UNAUTHENTICATED', '403 SPEND_LIMIT_REACHED'])
  await page.getByText('Revoke', { exact: true }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('The key is revoked').waitFor()
  expect(await callUuid(second)).toBe('401 UNAUTHENTICATED')
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Sign out' }).click()])
  await page.goto('/dashboard')
  expect(page.url()).toBe(`${stack.url}/sign-in`)
  expect(complaints.filter(text => !text.includes('400'))).toEqual([])
  await context.close()
})

test('on a phone nothing is wider than the screen, and the first tab stop skips to the content', async () => {
  const { context, page } = await openPage(PHONE)
  await page.goto('/')
  await saveScreenshot(page, 'phone-landing')
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
  await signIn(page, 'ada@example.com')
  const paths = ['', '/ledger?from=2026-01-01', '/jobs', '/keys', '/billing', '/account'].map(
    path => `/dashboard${path}`,
  )
  for (const path of ['/', '/pricing', '/nowhere', '/sign-in', ...paths]) {
    await page.goto(path)
    await saveScreenshot(page, `phone${path.split('?')[0]!.replaceAll('/', '-')}`)
    const [content, screen] = (await page.evaluate(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    )) as [number, number]
    expect([path, content <= screen]).toEqual([path, true])
  }
  await context.close()
})

test('text of a customer is escaped on every page', async () => {
  const { id: accountId } = await createAccount(stack.db)
  await creditAccount(stack.db, { accountId, amountMicros: 9_000n, asset: '<b>USD', reference: '0x"><img src=x>' })
  const client = createClient(stack.url, await stack.addKey(accountId))
  const text = `<img src=x onerror="alert(1)"> '"><script>alert(2)</script>`
  const job = await client.post('/v1/text/case', { text, to: 'upper' })
  const { url, hash } = createSignInLink({ secret: SECRET, publicUrl: stack.url })
  await createLink(stack.db, { hash, accountId, minutes: 15 })
  const { context, page, complaints } = await openPage()
  await page.goto(url)
  await page.getByRole('button', { name: 'Sign in to coinop' }).click()
  await page.goto('/dashboard/ledger')
  expect(await page.locator('main').textContent()).toContain('<b>USD')
  await page.goto(`/dashboard/jobs/${job.headers.get('x-service-job-id')}`)
  expect(await page.locator('main').textContent()).toContain('<SCRIPT>ALERT(2)</SCRIPT>')
  expect(await page.locator('main b, main img, main script').count()).toBe(0)
  expect(complaints).toEqual([])
  await context.close()
})

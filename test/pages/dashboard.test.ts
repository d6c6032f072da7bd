import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newLink } from '../../ops/sign-in/link.ts'
import { createAccount, creditAccount } from '../../sql/account.ts'
import { offerLink } from '../../sql/session.ts'
import { complaintsOf, openBrowser, picture } from '../support/browser.ts'
import { clientOf } from '../support/client.ts'
import { linkFor } from '../support/outbox.ts'
import { type Stack, startStack } from '../support/stack.ts'

let stack: Stack
let browser: Browser
beforeAll(async () => {
  ;[stack, browser] = await Promise.all([startStack({ env: { TEST_CHECKOUT: 'true' } }), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await stack[Symbol.asyncDispose]()
})

/** That of the stack. */
const SECRET = 'a secret of the tests alone'
const DESKTOP = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

async function visit(viewport = DESKTOP): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport, baseURL: stack.url })
  context.setDefaultTimeout(8_000)
  const page = await context.newPage()
  return { context, page, complaints: complaintsOf(page) }
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Mail address').fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
  await page.goto(await linkFor(stack.dataDir, email))
  await page.getByRole('button', { name: 'Sign in to coinop' }).click()
  await page.waitForURL('**/dashboard')
}

test('a newcomer signs in by mail, tops up with test money, makes a key, calls, and sees what it cost', async () => {
  const { context, page, complaints } = await visit()
  await page.goto('/')
  await picture(page, 'landing')
  await page.getByRole('link', { name: 'Start in two minutes' }).click()
  await picture(page, 'sign-in')
  await signIn(page, 'ada@example.com')
  await picture(page, 'overview-new')

  await page.getByRole('link', { name: 'Top up', exact: true }).first().click()
  await picture(page, 'billing')
  await page.getByRole('button', { name: /^\$20/ }).click()
  expect(await page.getByText('no real money moves').isVisible()).toBe(true)
  await picture(page, 'checkout')
  await page.getByRole('button', { name: 'Pay with test money' }).click()
  await page.getByText('the test money is on your balance').waitFor()

  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('button', { name: 'Create API key' }).click()
  const key = (await page.getByLabel('The new API key').textContent())!
  await picture(page, 'key-fresh')
  expect(key).toMatch(/^svc_test_[0-9a-f]{32}$/)
  await page.getByRole('link', { name: 'API keys' }).click()
  expect(await page.content()).not.toContain(key)

  const client = clientOf(stack.url, key)
  for (let calls = 0; calls < 12; calls++) await client.post('/v1/utils/uuid', {})
  await client.post('/v1/text/slugify', { texts: ['!!!'] })
  await client.post('/v1/utils/hash', { text: '<script>alert(1)</script>' })
  await page.getByRole('link', { name: 'Overview' }).click()
  await picture(page, 'overview')
  expect(await page.locator('.figure.main .big').textContent()).toBe('$19.987')
  await page.getByRole('link', { name: 'Ledger', exact: true }).click()
  await page.getByRole('link', { name: 'Top-ups' }).click()
  expect(await page.locator('tbody tr').count()).toBe(1)
  await page.getByRole('link', { name: 'Everything' }).click()
  await picture(page, 'ledger')
  await page.getByRole('link', { name: 'Jobs', exact: true }).click()
  await picture(page, 'jobs')
  await page.getByRole('link', { name: 'utils.hash' }).first().click()
  await picture(page, 'job')
  expect(await page.locator('.facts').textContent()).toContain('$0.001')
  expect(complaints).toEqual([])
  await context.close()
})

test('limits are set, hold at once, and a key is rotated and revoked', async () => {
  const { context, page, complaints } = await visit()
  await signIn(page, 'grace@example.com')
  await page.goto('/dashboard/billing')
  await page.getByRole('button', { name: /^\$5/ }).first().click()
  await page.getByRole('button', { name: 'Pay with test money' }).click()
  await page.goto('/dashboard/keys')
  await page.getByRole('button', { name: 'Create API key' }).click()
  const first = (await page.getByLabel('The new API key').textContent())!
  await page.getByLabel('Most a day, USD').fill('0.002')
  await page.getByRole('button', { name: 'Set limits' }).click()
  await page.getByText('The limits are set').waitFor()
  const ask = async (key: string) => {
    const { status, body } = await clientOf(stack.url, key).post('/v1/utils/uuid', {})
    return `${status} ${body.code ?? ''}`.trim()
  }
  expect([await ask(first), await ask(first), await ask(first)]).toEqual(['200', '200', '403 SPEND_LIMIT_REACHED'])
  await page.reload()
  await picture(page, 'keys')
  await page.getByLabel('Most a day, USD').fill('lots')
  await page.getByRole('button', { name: 'Set limits' }).click()
  await page.getByText('A limit is an amount of dollars').waitFor()

  await page.getByText('Rotate', { exact: true }).click()
  await page.getByRole('button', { name: 'Rotate key' }).click()
  const second = (await page.getByLabel('The new API key').textContent())!
  expect([await ask(first), await ask(second)]).toEqual(['401 UNAUTHENTICATED', '403 SPEND_LIMIT_REACHED'])
  await page.getByText('Revoke', { exact: true }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('The key is revoked').waitFor()
  expect(await ask(second)).toBe('401 UNAUTHENTICATED')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.goto('/dashboard')
  expect(page.url()).toBe(`${stack.url}/sign-in`)
  expect(complaints.filter(text => !text.includes('400'))).toEqual([])
  await context.close()
})

test('on a phone nothing is wider than the screen, and the keyboard reaches the content first', async () => {
  const { context, page } = await visit(PHONE)
  await page.goto('/')
  await picture(page, 'phone-landing')
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
  await signIn(page, 'ada@example.com')
  const places = ['', '/ledger', '/jobs', '/keys', '/billing'].map(place => `/dashboard${place}`)
  for (const place of ['/', '/sign-in', ...places]) {
    await page.goto(place)
    await picture(page, `phone${place.replaceAll('/', '-')}`)
    const [content, screen] = (await page.evaluate(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    )) as [number, number]
    expect([place, content <= screen]).toEqual([place, true])
  }
  await context.close()
})

test('what a customer wrote is text on every page', async () => {
  const { id: accountId } = await createAccount(stack.db)
  await creditAccount(stack.db, { accountId, amountMicros: 9_000n, asset: '<b>USD', reference: '0x"><img src=x>' })
  const client = clientOf(stack.url, await stack.keyOf(accountId))
  const text = `<img src=x onerror="alert(1)"> '"><script>alert(2)</script>`
  const job = await client.post('/v1/text/case', { text, to: 'upper' })
  const { url, hash } = newLink({ secret: SECRET, publicUrl: stack.url })
  await offerLink(stack.db, { hash, accountId, minutes: 15 })
  const { context, page, complaints } = await visit()
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

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openIncident } from '../../sql/status/incidents.ts'
import { chooseScheme, expectGood } from '../support/browser/good.ts'
import { closePages, collectErrors, openBrowser, saveScreenshot } from '../support/browser/open.ts'
import { type ConsoleClient, type OpenedConsole, openConsole } from '../support/console/open.ts'
import { openIdleStack } from '../support/stack/default.ts'
import { runCli } from '../support/stack/run-cli.ts'
import type { Stack } from '../support/stack/start.ts'

let stack: Stack
let console: OpenedConsole
let full: ConsoleClient
let browser: Browser
beforeAll(async () => {
  ;[stack, browser] = await Promise.all([openIdleStack(), openBrowser()])
  console = await openConsole(stack)
  full = await console.operator('mia', 'full')
})
afterAll(async () => {
  await closePages(browser)
  await console[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
})

test('every page of the console is accessible on a phone and a desk, light and dark', async () => {
  const customer = await stack.customer()
  const called = await customer.post('/v1/utils/hash', { text: 'hello' })
  await customer.post('/v1/utils/jwt-decode', { token: 'none' })
  await openIncident(stack.db, { title: 'Slow', impact: 'degraded', components: [], text: 'We look into it.' })
  const job = called.headers.get('x-service-job-id')
  // The log of a new database is empty, and an empty table shows no columns.
  const account = `/accounts/${customer.accountId}`
  expect((await full.submit(account, `${account}/credit`, { amount: '2.5', reason: 'a gift' })).status).toBe(303)
  const paths = [
    ...['/', '/accounts', account, '/jobs', `/jobs/${job}`, '/refunds', '/lanes', '/prices'],
    ...[
      '/prices/utils.hash?usd=0.002',
      '/settings',
      '/settings/rate.ip_per_minute',
      '/payments',
      '/steps',
      '/plugins',
      '/incidents',
      '/retention',
    ],
    ...['/log', '/operators', '/webhooks', '/reviews', '/screening-lists', '/disputes'],
  ]
  await using context = await browser.newContext()
  const [name, value] = full.cookie.split('=') as [string, string]
  await context.addCookies([{ name, value, url: console.url }])
  const page = await context.newPage()
  const errors = collectErrors(page)
  for (const path of paths) {
    await page.setViewportSize({ width: 390, height: 800 })
    expect((await page.goto(console.url + path))!.status(), path).toBe(200)
    for (const [width, colorScheme] of [
      [390, 'light'],
      [1440, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      await chooseScheme(page, colorScheme)
      await expectGood(page, `console${path.replaceAll(/\W+/g, '-').slice(0, 20)}-${width}`)
      expect(await listHeadsBesideNumbers(page), path).toEqual([])
    }
  }
  expect(errors).toEqual([])
})

test('an operator makes a passkey, signs out, and signs in with it', async () => {
  const { stdout: link } = await runCli(console.env, 'operator', 'create', 'pia', '--role', 'support')
  await using context = await browser.newContext()
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  await page.goto(link)
  await page.getByRole('button', { name: 'Make a passkey' }).click()
  await page.waitForURL(`${console.url}/`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL(`${console.url}/`)
  expect(await page.innerText('.side')).toContain('pia, support')
})

test('GraphiQL runs a query in the browser', async () => {
  await using context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const [name, value] = full.cookie.split('=') as [string, string]
  await context.addCookies([{ name, value, url: console.url }])
  const page = await context.newPage()
  const errors = collectErrors(page)
  const missing: string[] = []
  page.on('response', reply => reply.status() >= 400 && missing.push(reply.url()))
  const answered = page.waitForResponse(reply => reply.url().endsWith('/graphql') && reply.status() === 200)
  await page.goto(`${console.url}/graphiql`)
  // Its first query asks for the schema.
  expect(JSON.stringify(await (await answered).json())).toContain('creditAccount')
  await page.locator('.graphiql-container').first().waitFor()
  await saveScreenshot(page, 'console-graphiql')
  expect(missing).toEqual([])
  expect(errors.map(error => error.slice(0, 200))).toEqual([])
})

/** Headings that do not stand above the numbers of their column. */
function listHeadsBesideNumbers(page: Page): Promise<string[]> {
  return page.$$eval('table', tables =>
    tables.flatMap(({ tHead, tBodies }) =>
      [...(tHead?.rows[0]?.cells ?? [])]
        .filter((head, index) => {
          const isNumber = tBodies[0]?.rows[0]?.cells[index]?.classList.contains('num') ?? false
          return isNumber && getComputedStyle(head).textAlign !== 'right'
        })
        .map(head => head.innerText),
    ),
  )
}

import { createHash, randomBytes } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignInLink } from '../../ops/providers/sign-in/link.ts'
import { createLink } from '../../sql/session.ts'
import { findViolations } from '../support/browser/axe.ts'
import { closePages, openBrowser, saveScreenshot } from '../support/browser/open.ts'
import { measureOverflow, PHONE, visit } from '../support/browser/visit.ts'
import { injectWallet } from '../support/browser/wallet.ts'
import { type LocalServer, openLocalServer } from '../support/servers/local.ts'
import { openIdleStack } from '../support/stack/default.ts'
import type { Stack } from '../support/stack/start.ts'

/** The secret that startStack configures. */
const SECRET = 'a secret of the tests alone'

let stack: Stack
let browser: Browser
let application: LocalServer
beforeAll(async () => {
  ;[stack, browser, application] = await Promise.all([
    openIdleStack(),
    openBrowser(),
    openLocalServer(({ path }) => ({ path })),
  ])
})
afterAll(async () => {
  await closePages(browser)
  await Promise.all([stack[Symbol.asyncDispose](), application[Symbol.asyncDispose]()])
})

/** The address to which an application sends its user. */
async function requestConnection(name: string) {
  const redirectUri = `${application.url}/callback`
  const registered = await stack.anonymous.request('/oauth/register', {
    method: 'POST',
    body: { client_name: name, redirect_uris: ['http://127.0.0.1/callback'] },
  })
  const { client_id: clientId } = registered.body as { client_id: string }
  const verifier = randomBytes(32).toString('base64url')
  const fields = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'kept',
    resource: `${stack.url}/mcp`,
  }
  const redeem = async (code: string) => {
    const body = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }
    const reply = await fetch(`${stack.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(body) })
    return (await reply.json()) as { access_token: string }
  }
  return { path: `/oauth/authorize?${new URLSearchParams(fields).toString()}`, redeem }
}

test('a visitor signs in on the way, reads what is asked, sets a limit and approves', async () => {
  const { accountId } = await stack.customer()
  const { path, redeem } = await requestConnection('Desk <b>helper</b>')
  const { context, page, complaints } = await visit(browser, stack)
  await page.goto(path)
  await page.waitForURL(/\/sign-in$/)
  const { url, hash } = createSignInLink({ secret: SECRET, publicUrl: stack.url })
  await createLink(stack.db, { hash, accountId, minutes: 15 })
  await page.goto(url)
  await page.getByRole('button', { name: 'Sign in to coinop' }).click()
  await page.waitForURL(/\/oauth\/authorize\?/)
  await page.getByRole('heading', { name: 'Connect Desk <b>helper</b>?' }).waitFor()
  expect(await page.locator('main').innerText()).toMatch(
    /not verified[\s\S]*this computer[\s\S]*Call tools, which spends/,
  )
  expect(await findViolations(page)).toEqual([])
  await saveScreenshot(page, 'consent')
  await page.setViewportSize(PHONE)
  expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
  await saveScreenshot(page, 'consent-phone')
  await page.getByLabel('Limit per day, USD').fill('much')
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Limit per day, USD').fill('0.25')
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.waitForURL(`${application.url}/callback?**`)
  const returned = new URL(page.url()).searchParams
  expect([returned.get('state'), returned.get('iss')]).toEqual(['kept', stack.url])
  expect((await redeem(returned.get('code')!)).access_token).toMatch(/^svc_access_/)

  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/dashboard/connectors')
  await page.getByText('$0.00 of $0.25').waitFor()
  expect(await findViolations(page)).toEqual([])
  await saveScreenshot(page, 'connectors')
  await page.getByText('Revoke', { exact: true }).click()
  await page.getByRole('button', { name: 'Revoke connector' }).click()
  await page.getByText('The connector is revoked.').waitFor()
  expect(complaints.filter(text => !text.includes('favicon') && !text.includes('400 (Bad Request)'))).toEqual([])
  await context.close()
})

test('a wallet signs in and approves, or cancels', async () => {
  const { path } = await requestConnection('Wallet helper')
  const { context, page } = await visit(browser, stack)
  await injectWallet(page, privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`))
  await page.goto(path)
  await page.getByRole('button', { name: 'Continue with a wallet' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.waitForURL(`${application.url}/callback?error=access_denied**`)
  await page.goto(path)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.waitForURL(`${application.url}/callback?code=**`)
  await context.close()
})

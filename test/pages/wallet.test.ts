import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildDevChainVariables } from '../../ops/dev-chain/wallets.ts'
import { createSignInLink } from '../../ops/providers/sign-in/link.ts'
import { createAccount, readAccount } from '../../sql/account.ts'
import { rows } from '../../sql/db.ts'
import { createLink } from '../../sql/session.ts'
import { closePages, collectErrors, openBrowser, saveScreenshot } from '../support/browser/open.ts'
import { type BrowserWallet, injectWallet } from '../support/browser/wallet.ts'
import { type Evm, openEvm, PAYEE, type Payer } from '../support/chain/evm.ts'
import { type Stack, startStack } from '../support/stack/start.ts'

let evm: Evm
let stack: Stack
let browser: Browser
beforeAll(async () => {
  evm = await openEvm()
  const env = buildDevChainVariables(evm.rpcUrl) as Record<string, string>
  ;[stack, browser] = await Promise.all([startStack({ env }), openBrowser()])
})
afterAll(async () => {
  await closePages(browser)
  await stack?.[Symbol.asyncDispose]()
  await evm?.stop()
})

/** The secret that startStack configures. */
const SECRET = 'a secret of the tests alone'

interface Visit {
  context: BrowserContext
  page: Page
  wallet: BrowserWallet
  complaints: string[]
}

async function openPage(payer: Payer): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, baseURL: stack.url })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  return { context, page, wallet: await injectWallet(page, payer), complaints: collectErrors(page) }
}

async function signInByWallet(page: Page): Promise<void> {
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Continue with a wallet' }).click()
  await page.waitForURL(/\/dashboard\b/)
}

async function signInByLink(page: Page): Promise<string> {
  const { id: accountId } = await createAccount(stack.db, { isTest: true })
  const { url, hash } = createSignInLink({ secret: SECRET, publicUrl: stack.url })
  await createLink(stack.db, { hash, accountId, minutes: 15 })
  await page.goto(url)
  await page.getByRole('button', { name: 'Sign in to coinop' }).click()
  await page.waitForURL(/\/dashboard\b/)
  return accountId
}

test('a wallet signs in with a button, tops up on the chain, and pays from its own account', async () => {
  const payer = await evm.payer(20_000_000n)
  const { context, page, wallet, complaints } = await openPage(payer)
  await signInByWallet(page)
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  expect(await page.locator('main').textContent()).toContain(payer.address)
  await saveScreenshot(page, 'wallet-account')
  const paid = await evm.balance(PAYEE)
  await page.getByRole('link', { name: 'Top up', exact: true }).first().click()
  await page.getByLabel('Amount, USD').fill('7.5')
  await saveScreenshot(page, 'wallet-billing')
  await page.getByRole('button', { name: 'Pay from wallet' }).click()
  await page.getByText('The payment has arrived').waitFor()
  expect(await evm.balance(payer.address)).toBe(12_500_000n)
  expect(await evm.balance(PAYEE)).toBe(paid + 7_500_000n)
  await page.goto('/dashboard')
  expect(await page.locator('.figure.main .big').textContent()).toBe('$7.50')
  expect(wallet.calledMethods.filter(method => method === 'personal_sign')).toHaveLength(1)
  expect(wallet.calledMethods).toContain('wallet_addEthereumChain')
  expect(wallet.chainId).toBe('0x14a34')
  expect(complaints.filter(text => !text.includes('402'))).toEqual([])
  await context.close()
})

test('a wallet that pays into an account with another sign-in is linked to it first', async () => {
  const payer = await evm.payer(20_000_000n)
  const { context, page, wallet } = await openPage(payer)
  const accountId = await signInByLink(page)
  await page.goto('/dashboard/billing')
  await page.getByRole('button', { name: 'Pay from wallet' }).click()
  await page.getByText('The payment has arrived').waitFor()
  expect((await readAccount(stack.db, accountId))!.balanceMicros).toBe('5000000')
  expect(wallet.calledMethods.filter(method => /sign/i.test(method))).toEqual(['personal_sign', 'eth_signTypedData_v4'])
  await page.goto('/dashboard/billing')
  await page.getByLabel('Amount, USD').fill('1')
  await page.getByRole('button', { name: 'Pay from wallet' }).click()
  await page.getByText('The payment has arrived').waitFor()
  expect((await readAccount(stack.db, accountId))!.balanceMicros).toBe('6000000')
  expect(wallet.calledMethods.filter(method => method === 'personal_sign')).toHaveLength(1)
  await context.close()
})

test('a wallet is linked with a button, unless it belongs to another account', async () => {
  const payer = await evm.payer(0n)
  const first = await openPage(payer)
  const ownerId = await signInByLink(first.page)
  await stack.addKey(ownerId)
  await first.page.goto('/dashboard/account')
  await first.page.getByRole('button', { name: 'Link a wallet' }).click()
  await first.page.getByText('The wallet is linked').waitFor()
  const second = await openPage(payer)
  await signInByLink(second.page)
  await second.page.goto('/dashboard/account')
  await second.page.getByRole('button', { name: 'Link a wallet' }).click()
  await second.page.getByText('This wallet belongs to another account').waitFor()
  expect(await second.page.locator('main').textContent()).not.toContain(payer.address)
  for (const { context } of [first, second]) await context.close()
})

test('a linked wallet is unlinked with a button when another wallet is left', async () => {
  const [former, next] = [await evm.payer(0n), await evm.payer(0n)]
  const { context, page, complaints } = await openPage(former)
  const accountId = await signInByLink(page)
  await page.goto('/dashboard/account')
  await page.getByRole('button', { name: 'Link a wallet' }).click()
  await page.getByText('The wallet is linked').waitFor()
  const main = page.locator('main')
  const unlink = async () => {
    await main.getByText('Unlink', { exact: true }).first().click()
    await main.getByRole('button', { name: 'Unlink' }).first().click()
  }
  await unlink()
  await page.getByText('This is the last way to sign in').waitFor()
  const linked = 'insert into svc.wallet (address, account_id) values ($1, $2)'
  await rows(stack.db, linked, [next.address.toLowerCase(), accountId])
  await page.goto('/dashboard/account')
  await saveScreenshot(page, 'account-unlink')
  await unlink()
  await page.getByText('It is unlinked').waitFor()
  expect(await main.textContent()).not.toContain(former.address)
  expect(await main.textContent()).toContain(next.address)
  expect(complaints.filter(text => !text.includes('409'))).toEqual([])
  await context.close()
})

test('declining in the wallet charges nothing, and an empty wallet is reported', async () => {
  const payer = await evm.payer(0n)
  const { context, page, wallet } = await openPage(payer)
  await signInByWallet(page)
  await page.goto('/dashboard/billing')
  wallet.declines = true
  await page.getByRole('button', { name: 'Pay from wallet' }).click()
  await page.getByText('You declined in the wallet').waitFor()
  wallet.declines = false
  await page.getByRole('button', { name: 'Pay from wallet' }).click()
  await page.getByText('does not hold enough of this currency').waitFor()
  await page.goto('/dashboard')
  expect(await page.locator('.figure.main .big').textContent()).toBe('$0.00')
  await context.close()
})

test('a browser without a wallet shows no wallet button, and the page stays small', async () => {
  const context = await browser.newContext({ baseURL: stack.url })
  const page = await context.newPage()
  let bytes = 0
  page.on('response', async reply => {
    bytes += (await reply.body().catch(() => Buffer.alloc(0))).length
  })
  await page.goto('/sign-in', { waitUntil: 'networkidle' })
  expect(await page.getByRole('button', { name: 'Continue with a wallet' }).isVisible()).toBe(false)
  expect(bytes).toBeLessThan(40_000)
  await context.close()
})

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignInLink } from '../../ops/providers/sign-in/link.ts'
import { rows } from '../../sql/db.ts'
import { createLink } from '../../sql/session.ts'
import { findViolations } from '../support/browser/axe.ts'
import { closePages, openBrowser } from '../support/browser/open.ts'
import { measureOverflow, PHONE, visitAccount } from '../support/browser/visit.ts'
import { allowReviewsOf } from '../support/people/reviews.ts'
import { openIdleStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

let stack: Stack
let browser: Browser
beforeAll(async () => {
  ;[stack, browser] = await Promise.all([openIdleStack(), openBrowser()])
  await allowReviewsOf(stack)
})
afterAll(async () => {
  await closePages(browser)
  await stack[Symbol.asyncDispose]()
})

async function expectGood(page: Page): Promise<void> {
  await page.setViewportSize(PHONE)
  expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
  expect(await findViolations(page)).toEqual([])
}

async function watch(customer: Customer, referenceId: string): Promise<string> {
  const subject = { name: 'Zorblatt Quexington', referenceId, allowSample: true }
  const { status, body } = await customer.post('/v1/screening/monitors', subject)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

test('an owner stops a monitor on its page, by the keyboard', async () => {
  const customer = await stack.customer()
  const id = await watch(customer, 'stop-1')
  const { page, context, complaints } = await visitAccount(browser, stack, customer.accountId)
  await page.goto('/dashboard/screening')
  await expectGood(page)
  await page.getByText('Stop', { exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Stop watching: Zorblatt Quexington' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('The subject is not watched any more.').waitFor()
  await expectGood(page)
  expect((await customer.get(`/v1/screening/monitors/${id}`)).body.state).toBe('ended')
  expect(complaints).toEqual([])
  await context.close()
})

test('an owner cancels a verification of identity and erases its data on its page', async () => {
  const customer = await stack.customer()
  const body = { type: 'document', referenceId: 'cancel-1' }
  const { id } = (await customer.post('/v1/idverify/verifications', body)).body
  const { page, context, complaints } = await visitAccount(browser, stack, customer.accountId)
  await page.goto('/dashboard/identity')
  await expectGood(page)
  await page.getByRole('button', { name: 'Cancel: cancel-1' }).click()
  await page.getByText('The verification is cancelled.').waitFor()
  expect((await customer.get(`/v1/idverify/verifications/${id}`)).body.status).toBe('cancelled')
  expect(await page.getByRole('button', { name: 'Cancel: cancel-1' }).count()).toBe(0)
  await page.getByText('Erase', { exact: true }).click()
  await page.getByRole('button', { name: 'Erase images and data: cancel-1' }).click()
  await page.getByText('The images and personal data are erased.').waitFor()
  await expectGood(page)
  expect(complaints).toEqual([])
  await context.close()
})

test('the forms of one account act on nothing of another', async () => {
  const [owner, other] = [await stack.customer(), await stack.customer()]
  const id = await watch(owner, 'foreign-1')
  const { page, context } = await visitAccount(browser, stack, other.accountId)
  await page.goto('/dashboard/webhooks')
  await page.evaluate(`{
    const form = [...document.forms].find(form => form.elements.csrf)
    form.action = '/dashboard/screening/monitors/${id}/stop'
    form.submit()
  }`)
  await page.getByText('404').first().waitFor()
  expect((await owner.get(`/v1/screening/monitors/${id}`)).body.state).toBe('active')
  await context.close()
})

async function signInAgain(page: Page, accountId: string): Promise<void> {
  const { url, hash } = createSignInLink({ secret: 'a secret of the tests alone', publicUrl: stack.url })
  await createLink(stack.db, { hash, accountId, minutes: 15 })
  await page.goto(url)
  await page.getByRole('button', { name: 'Sign in to coinop' }).click()
}

test('a form that is sent after its session has ended says so, does nothing, and its sender comes back to it', async () => {
  const customer = await stack.customer()
  const id = await watch(customer, 'late-1')
  const { page, context } = await visitAccount(browser, stack, customer.accountId)
  await page.goto('/dashboard/screening?from=late')
  await page.getByText('Stop', { exact: true }).click()
  await rows(stack.db, 'delete from svc.session where account_id = $1', [customer.accountId])
  await page.getByRole('button', { name: 'Stop watching: Zorblatt Quexington' }).click()
  await page.getByRole('alert').filter({ hasText: 'Your session has ended' }).waitFor()
  expect(await findViolations(page)).toEqual([])
  expect((await customer.get(`/v1/screening/monitors/${id}`)).body.state).toBe('active')
  await signInAgain(page, customer.accountId)
  await page.waitForURL(/\/dashboard\/screening\?from=late$/)
  await context.close()
})

test('a page that is opened without a session is opened after the sign-in, and no other site names one', async () => {
  const { accountId } = await stack.customer()
  const context = await browser.newContext({ baseURL: stack.url })
  const page = await context.newPage()
  await page.goto('/dashboard/keys')
  await page.waitForURL(/\/sign-in$/)
  await signInAgain(page, accountId)
  await page.waitForURL(/\/dashboard\/keys$/)
  await context.close()
  const headers = { origin: 'https://evil.example', referer: 'https://evil.example/dashboard/keys' }
  const foreign = await fetch(`${stack.url}/dashboard/keys/new`, { method: 'POST', headers, redirect: 'manual' })
  expect([foreign.status, foreign.headers.get('set-cookie')]).toEqual([403, null])
})

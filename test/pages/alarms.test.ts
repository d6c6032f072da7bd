import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findViolations } from '../support/browser/axe.ts'
import { closePages, openBrowser } from '../support/browser/open.ts'
import { measureOverflow, PHONE, visitAccount } from '../support/browser/visit.ts'
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

test('an owner sets and removes the amounts of which to be told, and a fault keeps what was typed', async () => {
  const customer = await stack.customer()
  const { page, context, complaints } = await visitAccount(browser, stack, customer.accountId)
  const [day, balance] = [
    page.getByLabel('Tell me above, USD in one day'),
    page.getByLabel('Tell me when the balance is below, USD'),
  ]
  const save = () => page.getByRole('button', { name: 'Save' }).click()
  await page.goto('/dashboard/spend-alarms')
  await day.fill('5')
  await balance.fill('0.5')
  await save()
  await page.getByText('Saved.').waitFor()
  expect(await page.locator('main').innerText()).toContain('$1.00 left')
  expect((await customer.get('/v1/account/balance-alarm')).body).toMatchObject({ limitMicros: '500000' })
  expect((await customer.get('/v1/account/spend-alarms')).body.data).toMatchObject([
    { period: 'day', limitMicros: '5000000' },
  ])
  expect(await findViolations(page)).toEqual([])
  await page.setViewportSize(PHONE)
  expect(await measureOverflow(page)).toBeLessThanOrEqual(0)

  await balance.fill('half')
  await save()
  await expect.poll(() => balance.getAttribute('aria-invalid')).toBe('true')
  expect([await day.inputValue(), await balance.inputValue()]).toEqual(['5.00', 'half'])
  await balance.fill('')
  await save()
  await page.getByText('Saved.').waitFor()
  expect((await customer.get('/v1/account/balance-alarm')).status).toBe(404)
  expect(complaints).toEqual([expect.stringContaining('status of 400')])
  await context.close()
})

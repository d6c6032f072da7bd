import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findViolations } from '../support/browser/axe.ts'
import { chooseScheme } from '../support/browser/good.ts'
import { closePages, openBrowser, saveScreenshot } from '../support/browser/open.ts'
import { DESKTOP, measureOverflow, PHONE, visitAccount } from '../support/browser/visit.ts'
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

test('the page of screening shows what is watched, what was screened and the own lists, to their owner alone', async () => {
  const [customer, other] = [await stack.customer(), await stack.customer()]
  const hostile = '<script>alert(1)</script> Quexington'
  const file = { text: `name\n${hostile}\n` }
  const { body: list } = await customer.post('/v1/screening/load-list', { title: 'Banned <b>here</b>', file })
  const sources = [list.source]
  const { body: screened } = await customer.post('/v1/screening/match', {
    name: hostile,
    referenceId: 'case-7',
    sources,
  })
  await customer.post('/v1/screening/monitors', { name: 'Zorblatt Quexington', referenceId: 'w-1', allowSample: true })
  const owner = await visitAccount(browser, stack, customer.accountId)
  const { page } = owner
  await page.goto('/dashboard/screening')
  await page.getByRole('heading', { name: 'Watched subjects' }).waitFor()
  const text = await page.locator('main').innerText()
  for (const part of [hostile, 'case-7', screened.screeningId, 'w-1', 'Banned <b>here</b>', list.source])
    expect(text).toContain(part)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.setViewportSize(DESKTOP)
    await chooseScheme(page, colorScheme)
    expect(await findViolations(page)).toEqual([])
    // What goes beyond its card could be read with the mouse alone.
    for (const width of [580, 640, 720, 900, 960]) {
      await page.setViewportSize({ width, height: 800 })
      const beyond = "[...document.querySelectorAll('.card')].map(card => card.scrollWidth - card.clientWidth)"
      expect(Math.max(...((await page.evaluate(beyond)) as number[])), `${width} pixels`).toBe(0)
      expect(await findViolations(page)).toEqual([])
    }
    await page.setViewportSize(PHONE)
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    await saveScreenshot(page, `screening-${colorScheme}`)
  }
  expect(owner.complaints).toEqual([])
  await owner.context.close()
  const another = await visitAccount(browser, stack, other.accountId)
  await another.page.goto('/dashboard/screening')
  expect(await another.page.locator('main').innerText()).not.toMatch(/case-7|Quexington|Banned/)
  await another.context.close()
})

import type { Browser } from 'playwright-core'
import { expectGoodInBothSchemes } from './good.ts'
import { PHONE } from './visit.ts'

/** A visitor of a link: a phone without scripts and without an account. */
export async function openLink(browser: Browser, url: string) {
  const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false, acceptDownloads: true })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  const response = await page.goto(url)
  return { page, response: response!, [Symbol.asyncDispose]: () => context.close() }
}

/** The same page with scripts, which the accessibility check needs. */
export async function expectGoodPage(browser: Browser, url: string, name: string): Promise<void> {
  await using context = await browser.newContext({ viewport: PHONE })
  const page = await context.newPage()
  await page.goto(url)
  await expectGoodInBothSchemes(page, name)
}

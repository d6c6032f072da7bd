import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createSignInLink } from '../../../ops/providers/sign-in/link.ts'
import { createLink } from '../../../sql/session.ts'
import type { Stack } from '../stack/start.ts'
import { collectErrors } from './open.ts'

/** The secret that startStack configures. */
const SECRET = 'a secret of the tests alone'
export const DESKTOP = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }

interface Visit {
  context: BrowserContext
  page: Page
  /** Errors of the console, such as violations of the content security policy. */
  complaints: string[]
}

export async function visit(
  browser: Browser,
  stack: Stack,
  { viewport = DESKTOP, colorScheme }: { viewport?: typeof DESKTOP; colorScheme?: 'light' | 'dark' } = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport, baseURL: stack.url, colorScheme })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  return { context, page, complaints: collectErrors(page) }
}

/** Opens the dashboard of an account by a link that an operator would print. */
export async function visitAccount(
  browser: Browser,
  stack: Stack,
  accountId: string,
  options: Parameters<typeof visit>[2] = {},
): Promise<Visit> {
  const { url, hash } = createSignInLink({ secret: SECRET, publicUrl: stack.url })
  await createLink(stack.db, { hash, accountId, minutes: 15 })
  const opened = await visit(browser, stack, options)
  await opened.page.goto(url)
  await opened.page.getByRole('button', { name: 'Sign in to coinop' }).click()
  await opened.page.waitForURL(/\/dashboard/)
  return opened
}

/** How much wider than its window a page is, in pixels. */
export async function measureOverflow(page: Page): Promise<number> {
  const width = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  return (await page.evaluate(width)) as number
}
